import { useState, type ReactNode } from 'react';
import { ask, useResource, type ArtifactRow } from '../api.ts';
import { Difference } from '../difference.tsx';
import { Link, setSearch, usePlace } from '../location.tsx';
import { Ago, CopyButton, Facts, Loaded, State, Title, valueText } from '../parts.tsx';
import { Tabs } from '../tabs.tsx';
import { XmlSource } from '../xml-source.tsx';
import { sourceOf, type Artifact } from './artifact-facts.ts';
import { FlowTab } from './artifact-flow.tsx';

const actionTitles: Readonly<Record<string, (artifact: ArtifactRow) => string | undefined>> = {
  activate: ({ state, kind }) => (state === 'active' ? undefined : `Activate ${kind}`),
  deactivate: ({ state, kind }) => (state === 'inactive' ? undefined : `Deactivate ${kind}`),
  trigger: () => 'Trigger now',
  startTrace: ({ isTraced }) => (isTraced ? undefined : 'Trace'),
  stopTrace: ({ isTraced }) => (isTraced ? 'Stop tracing' : undefined),
  startStatistics: ({ hasStatistics }) => (hasStatistics ? undefined : 'Count'),
  stopStatistics: ({ hasStatistics }) => (hasStatistics ? 'Stop counting' : undefined),
};

export function ArtifactPage({ group, kind, name }: { group: string; kind: string; name: string }) {
  const path = `${encodeURIComponent(group)}/${kind}/${encodeURIComponent(name)}`;
  const artifact = useResource<Artifact>(`/artifacts/${path}`);
  const [outcome, setOutcome] = useState<ReactNode>();
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
          ? `Done on ${results.length} ${results.length === 1 ? 'node' : 'nodes'}.`
          : failed.map(({ node, message }) => `${node}: ${message}`).join('; '),
      );
    } catch (error) {
      setOutcome(error instanceof Error ? error.message : String(error));
    }
    artifact.reload();
  };
  return (
    <Loaded resource={artifact}>
      {(facts) => (
        <>
          <p className="quiet">
            <Link to={`/artifacts/${kind}`}>{kind}</Link> in {group}
          </p>
          <Title title={name} state={facts.state !== undefined && <State word={facts.state} />}>
            {facts.actions.map((action) => {
              const title = actionTitles[action]?.(facts);
              return (
                title !== undefined && (
                  <Acting
                    key={action}
                    title={title}
                    isDanger={action === 'deactivate'}
                    nodes={facts.nodes}
                    onAct={() => void act(action)}
                  />
                )
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
            <FlowTab artifact={facts} />
          ) : tab === 'source' ? (
            <SourceTab artifact={facts} />
          ) : tab === 'nodes' ? (
            <NodesTab artifact={facts} />
          ) : (
            <Facts
              rows={Object.entries(facts.detail)
                .filter(([member]) => member !== 'configuration')
                .map(([member, value]) => [
                  member,
                  member === 'state' ? <State key="s" word={valueText(value)} /> : valueText(value),
                ])}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

/** What stops traffic says what it touches before it does. */
function Acting(props: { title: string; isDanger: boolean; nodes: number; onAct: () => void }) {
  const [isAsked, ask] = useState(false);
  if (!props.isDanger) return <button onClick={props.onAct}>{props.title}</button>;
  if (!isAsked) {
    return (
      <button className="danger" onClick={() => ask(true)}>
        {props.title}
      </button>
    );
  }
  return (
    <>
      <button
        className="danger"
        onClick={() => {
          ask(false);
          props.onAct();
        }}
      >
        {props.title} on {props.nodes} {props.nodes === 1 ? 'node' : 'nodes'}
      </button>
      <button onClick={() => ask(false)}>Cancel</button>
    </>
  );
}

function SourceTab({ artifact }: { artifact: Artifact }) {
  const source = sourceOf(artifact.detail);
  const line = Number(usePlace().search.get('line') ?? 0);
  return source === '' ? (
    <p>The runtime shows no source of this {artifact.kind}.</p>
  ) : (
    <XmlSource text={source} {...(line > 0 ? { marked: line } : {})} />
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
