import { useState } from 'react';
import { ask, messageOf, useResource, type ArtifactRow, type ListOf } from './api.ts';
import { artifactPath } from './artifact-path.ts';
import { Confirmed } from './confirmed.tsx';
import { Link } from './location.tsx';
import { State } from './parts.tsx';

interface Kind {
  readonly kind: string;
  readonly actions: readonly string[];
}

interface Outcome {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly ok: boolean;
  readonly message?: string;
  readonly results: readonly { readonly node: string; readonly ok: boolean; readonly message: string }[];
}

const titles = {
  activate: 'Activate',
  deactivate: 'Deactivate',
  startTrace: 'Trace',
  stopTrace: 'Stop tracing',
  startStatistics: 'Count',
  stopStatistics: 'Stop counting',
} as const;

/** What can be done to all artifacts that were chosen, and what became of each of them. */
export function BulkActions(props: { chosen: readonly ArtifactRow[]; onClear: () => void; onDone: () => void }) {
  const { chosen, onClear, onDone } = props;
  const kinds = useResource<ListOf<Kind>>('/kinds', 3600);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const [problem, setProblem] = useState<string>();
  const can = (action: string): readonly ArtifactRow[] =>
    chosen.filter((row) => kinds.data?.list.find(({ kind }) => kind === row.kind)?.actions.includes(action));
  const act = async (action: string): Promise<void> => {
    const artifacts = can(action).map(({ group, kind, name }) => ({ group, kind, name }));
    try {
      const { list } = (await ask('POST', '/actions', { action, artifacts })) as ListOf<Outcome>;
      setOutcomes(list);
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
    onDone();
  };
  return (
    <section className="chosen" aria-label="Chosen artifacts">
      <div className="bar">
        <strong>{chosen.length} chosen</strong>
        {Object.entries(titles).map(([action, title]) => {
          const count = can(action).length;
          if (count === 0) return null;
          const label = count === chosen.length ? title : `${title} ${count}`;
          return action === 'deactivate' ? (
            <Confirmed
              key={action}
              title={label}
              consequence={`${count} artifacts take no messages until somebody activates them: ${namesOf(can(action))}.`}
              word={`deactivate ${count}`}
              touches={[...Map.groupBy(can(action), ({ group }) => group)].map(([group, rows]) => ({
                group,
                keys: rows.map(({ kind, name }) => `${kind}:${name}`),
              }))}
              onConfirm={() => void act(action)}
            />
          ) : (
            <button key={action} onClick={() => void act(action)}>
              {label}
            </button>
          );
        })}
        <button onClick={onClear}>Choose none</button>
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {outcomes && (
        <div role="status">
          {outcomes.filter(({ ok }) => ok).length} of {outcomes.length} done
          {outcomes
            .filter(({ ok }) => !ok)
            .map((outcome) => (
              <p key={artifactPath(outcome)} className="line">
                <State word="failed" />
                <Link to={artifactPath(outcome)}>{outcome.name}</Link>
                {outcome.message ??
                  outcome.results
                    .filter(({ ok }) => !ok)
                    .map(({ node, message }) => `${node}: ${message}`)
                    .join('; ')}
              </p>
            ))}
        </div>
      )}
    </section>
  );
}

/** Names for a sentence: the first ones, and how many more there are. */
function namesOf(rows: readonly ArtifactRow[]): string {
  const names = rows.slice(0, 8).map(({ name }) => name);
  return rows.length > names.length ? `${names.join(', ')} and ${rows.length - names.length} more` : names.join(', ');
}
