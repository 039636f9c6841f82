import { useState, type ReactNode } from 'react';
import { ask, messageOf, useResource, type ArtifactRow, type User } from '../api.ts';
import { Difference } from '../difference.tsx';
import { Link, setSearch, usePlace } from '../location.tsx';
import { Ago, CopyButton, Loaded, State, Title } from '../parts.tsx';
import { Confirmed } from '../confirmed.tsx';
import { Tabs } from '../tabs.tsx';
import { XmlSource } from '../xml-source.tsx';
import { sourceOf, type Artifact } from './artifact-facts.ts';
import { FlowTab } from './artifact-flow.tsx';
import { ArtifactOverview } from './artifact-overview.tsx';
import { BrokenMark, useOwnProblems } from './artifact-problems.tsx';

const actionTitles: Readonly<Record<string, (artifact: ArtifactRow) => string | undefined>> = {
  activate: ({ state, kind }) => (state === 'active' ? undefined : `Activate ${kind}`),
  deactivate: ({ state, kind }) => (state === 'inactive' ? undefined : `Deactivate ${kind}`),
  trigger: () => 'Trigger now',
  startTrace: ({ isTraced }) => (isTraced ? undefined : 'Trace'),
  stopTrace: ({ isTraced }) => (isTraced ? 'Stop tracing' : undefined),
  startStatistics: ({ hasStatistics }) => (hasStatistics ? undefined : 'Count'),
  stopStatistics: ({ hasStatistics }) => (hasStatistics ? 'Stop counting' : undefined),
};

export function ArtifactPage({ group, kind, name, user }: { group: string; kind: string; name: string; user: User }) {
  const path = `${encodeURIComponent(group)}/${kind}/${encodeURIComponent(name)}`;
  const artifact = useResource<Artifact>(`/artifacts/${path}`);
  const [outcome, setOutcome] = useState<ReactNode>();
  const problems = useOwnProblems({ group, kind, name });
  const tab = usePlace().search.get('tab') ?? 'overview';
  const act = async (action: string): Promise<void> => {
    setOutcome('…');
    try {
      const { results } = (await ask('POST', `/actions/${path}`, { action })) as {
        results: readonly { node: string; ok: boolean; message: string }[];
      };
      const failed = results.filter(({ ok }) => !ok);
      setOutcome(
        failed.length === 0
          ? `Done on ${nodesText(results.length)}.`
          : failed.map(({ node, message }) => `${node}: ${message}`).join('; '),
      );
    } catch (error) {
      setOutcome(messageOf(error));
    }
    artifact.reload();
  };
  return (
    <Loaded resource={artifact} title={name}>
      {(facts) => (
        <>
          <p className="quiet">
            <Link to={`/artifacts/${kind}`}>{kind}</Link> in {group}
          </p>
          <Title
            title={name}
            state={
              <>
                {facts.state !== undefined && <State word={facts.state} />}
                <BrokenMark problems={problems} />
              </>
            }
          >
            {facts.actions.map((action) => {
              const title = actionTitles[action]?.(facts);
              return (
                title !== undefined &&
                (action === 'deactivate' ? (
                  <Confirmed
                    key={action}
                    title={title}
                    consequence={`Messages to ${name} are refused on ${nodesText(facts.nodes)} until somebody activates it.`}
                    word={name}
                    touches={[{ group, keys: [`${kind}:${name}`] }]}
                    onConfirm={() => void act(action)}
                  />
                ) : (
                  <button key={action} onClick={() => void act(action)}>
                    {title}
                  </button>
                ))
              );
            })}
            <CopyButton text={location.href} label="Copy link" />
          </Title>
          {outcome !== undefined && (
            <div className="note" role="status">
              {outcome}
            </div>
          )}
          {facts.hasDrift && (
            <div className="note">
              Not the same on all nodes. <button onClick={() => setSearch('tab', 'nodes')}>Compare nodes</button>
            </div>
          )}
          <Tabs tab={tab} names={['overview', 'flow', 'source', 'nodes']} />
          {tab === 'flow' ? (
            <FlowTab artifact={facts} user={user} />
          ) : tab === 'source' ? (
            <SourceTab artifact={facts} />
          ) : tab === 'nodes' ? (
            <NodesTab artifact={facts} />
          ) : (
            <ArtifactOverview artifact={facts} problems={problems} />
          )}
        </>
      )}
    </Loaded>
  );
}

function nodesText(count: number): string {
  return `${count} ${count === 1 ? 'node' : 'nodes'}`;
}

function SourceTab({ artifact }: { artifact: Artifact }) {
  const source = sourceOf(artifact.detail);
  const { search } = usePlace();
  const line = Number(search.get('line') ?? 0);
  const last = Number(search.get('to') ?? line);
  return source === '' ? (
    <p>The runtime shows no source of this {artifact.kind}.</p>
  ) : (
    <XmlSource text={source} {...(line > 0 ? { marked: line, markedTo: last } : {})} />
  );
}

function NodesTab({ artifact }: { artifact: Artifact }) {
  const first = artifact.on[0];
  return (
    <>
      <div className="scroll" tabIndex={0} role="region" aria-label="Nodes">
        <table>
          <thead>
            <tr>
              {['Node', 'Health', 'State', 'Traced', 'Counted', 'Content', 'Read'].map((title) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {artifact.on.map((on) => (
              <tr key={on.node}>
                <td>
                  <Link to={`/nodes/${encodeURIComponent(artifact.group)}/${encodeURIComponent(on.node)}`}>
                    {on.node}
                  </Link>
                </td>
                <td>
                  <State word={on.health} />
                </td>
                <td>
                  <State word={on.state} />
                </td>
                <td>{on.isTraced ? 'yes' : 'no'}</td>
                <td>{on.hasStatistics ? 'yes' : 'no'}</td>
                <td className="mono">{on.hash}</td>
                <td>
                  <Ago at={on.readAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {first &&
        artifact.on
          .filter(({ detail }) => detail !== undefined)
          .map((on) => (
            <section key={on.node}>
              <h2>
                {on.node} against {first.node}
              </h2>
              <Difference before={sourceOf(artifact.detail)} after={sourceOf(on.detail)} />
            </section>
          ))}
    </>
  );
}
