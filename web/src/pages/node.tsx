import { useState } from 'react';
import { ask, attempt, nodePath, useResource, type NodeFacts, type User } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { Confirmed } from '../confirmed.tsx';
import { Link, navigate } from '../location.tsx';
import { Ago, Facts, Loaded, State, Title, countText, valueText } from '../parts.tsx';

/** One runtime: how it is, what it runs otherwise than its group, its correlation log, its end and restart. */
export function NodePage({ group, id, user }: { group: string; id: string; user: User }) {
  const node = useResource<NodeFacts>(`/nodes/${encodeURIComponent(group)}/${encodeURIComponent(id)}`, 5);
  const [outcome, setOutcome] = useState<{ text: string; isBad: boolean }>();
  const act = (method: string, rest: string, body?: unknown): void => {
    const path = nodePath({ group, id }, rest).replace(/\/$/, '');
    const done = (): void => {
      if (method === 'DELETE') return navigate('/nodes');
      if (method === 'PATCH') setOutcome({ text: 'It was told; watch its heartbeat here.', isBad: false });
      node.reload();
      return undefined;
    };
    void attempt(ask(method, path, body), done, (text) => setOutcome({ text, isBad: true }));
  };
  return (
    <Loaded resource={node} title={id}>
      {(facts) => (
        <>
          <p className="quiet crumbs">
            <Link to="/nodes">Nodes</Link> of {group}
          </p>
          <Title title={facts.id} state={<State word={facts.health} />}>
            <button onClick={() => act('POST', 'refresh')}>Read again</button>
            {user.isAdmin && facts.trust !== 'approved' && (
              <button className="primary" onClick={() => act('POST', 'approval')}>
                Approve
              </button>
            )}
            {user.isAdmin && facts.trust === 'approved' && facts.health !== 'lost' && (
              <Ending node={facts} onEnd={(status) => act('PATCH', 'server', { status })} />
            )}
            {user.isAdmin && facts.health === 'lost' && (
              <button className="danger" onClick={() => act('DELETE', '')}>
                Forget
              </button>
            )}
          </Title>
          {outcome && (
            <div className={`note${outcome.isBad ? ' bad' : ''}`} role={outcome.isBad ? 'alert' : 'status'}>
              {outcome.text}
            </div>
          )}
          {facts.problem !== undefined && <div className="note bad">{facts.problem}</div>}
          <div className="split">
            <div>
              <h2 className="first">Against its group</h2>
              <Drifting node={facts} />
              {user.isAdmin && facts.health !== 'lost' && facts.trust === 'approved' && <Correlation node={facts} />}
            </div>
            <Facts
              rows={[
                ['Group', facts.group],
                ['Trust', <State key="trust" word={facts.trust} />],
                ['Management API', <code key="url">{facts.managementUrl}</code>],
                ['Last heartbeat', <Ago key="beat" at={facts.lastBeat} />],
                ['Reports since', <Ago key="since" at={facts.since} />],
                ['Read', <Ago key="read" at={facts.readAt} />],
                ['Artifacts', countText(facts.artifacts)],
                ...Object.entries(facts.server ?? {}).map(([name, value]) => [name, valueText(value)] as const),
              ]}
            />
          </div>
        </>
      )}
    </Loaded>
  );
}

/** Restart and shutdown, unless the runtime's configuration disables them. */
function Ending({ node, onEnd }: { node: NodeFacts; onEnd: (status: string) => void }) {
  const disabled = valueText(node.server?.['disabledActions']).split(' ');
  return (
    <>
      {!disabled.includes('restart') && (
        <Confirmed
          title="Restart"
          consequence={`${node.id} takes no new messages, finishes those in flight, and begins anew.`}
          touches={[{ group: node.group, node: node.id }]}
          onConfirm={() => onEnd('restartGracefully')}
        />
      )}
      {!disabled.includes('shutdown') && (
        <Confirmed
          title="Shut down"
          consequence={`${node.id} finishes the messages in flight and ends. Nobody starts it again from here.`}
          word={node.id}
          touches={[{ group: node.group, node: node.id }]}
          onConfirm={() => onEnd('shutdownGracefully')}
        />
      )}
    </>
  );
}

function Drifting({ node }: { node: NodeFacts }) {
  const { drift, drifting = [], group } = node;
  if (drift === undefined) return <p className="quiet">It was not read yet, so there is nothing to compare.</p>;
  if (drift === 0) return <p>It runs what most nodes of {group} run.</p>;
  return (
    <>
      <p>
        {countText(drift)} artifacts are not what most nodes of {group} run:
      </p>
      {drifting.map(({ kind, name, how }) => (
        <p key={`${kind} ${name}`} className="line">
          <State word={how} tone="warn" /> <span className="quiet">{kind}</span>
          <Link to={`${artifactPath({ group, kind, name })}?tab=nodes`}>{name}</Link>
        </p>
      ))}
    </>
  );
}

function Correlation({ node }: { node: NodeFacts }) {
  const path = nodePath(node, 'configs?configName=correlation');
  const config = useResource<{ configs?: { enabled: boolean } }>(path, 30);
  const [problem, setProblem] = useState<string>();
  const isOn = config.data?.configs?.enabled;
  // A runtime that has no such switch says so with an error; then there is nothing to switch.
  if (isOn === undefined) return config.error || config.data ? null : <div className="to-come" />;
  const change = (): void => {
    const body = { configName: 'correlation', configs: { enabled: !isOn } };
    void attempt(ask('PUT', nodePath(node, 'configs'), body), config.reload, setProblem);
  };
  return (
    <div className="to-come">
      <h2>Correlation log</h2>
      <p>
        {isOn
          ? 'On: each message is written with the time that its parts took.'
          : 'Off. Switched on, each message is written with the time that its parts took, until the process ends.'}
      </p>
      <button onClick={change}>{isOn ? 'Stop the correlation log' : 'Start the correlation log'}</button>
      {problem !== undefined && <span role="alert"> {problem}</span>}
    </div>
  );
}
