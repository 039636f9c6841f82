import { useResource, type ArtifactRow, type ListOf, type NodeFacts, type User } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { heartbeatLines } from '../heartbeat-lines.ts';
import { Link, useScope } from '../location.tsx';
import { newestFaults, useNarratives, type Fault } from '../narratives.ts';
import { Ago, Empty, Loaded, State, Title, countText, durationText } from '../parts.tsx';
import { brokenFiles } from '../problems.ts';
import { isInScope, scoped, type Scope } from '../scope.ts';
import { rateText, TimeChart } from '../time-chart.tsx';
import { artifactOf } from '../trace-model.ts';
import { useTraffic, type Traffic } from '../traffic.ts';
import { useProblems } from '../use-problems.ts';

interface HistoryEvent {
  readonly type: string;
  readonly group: string;
  readonly node: string;
  readonly what: string;
  readonly at: number;
}

/** Four questions without scrolling: is everything up, is traffic normal, what is failing, what changed. */
export function OverviewPage({ user }: { user: User }) {
  const scope = useScope();
  const nodes = useResource<ListOf<NodeFacts>>('/nodes', 5);
  return (
    <>
      <Title title="Overview" />
      <Loaded resource={nodes}>
        {({ list }) =>
          list.length === 0 ? (
            <Empty snippet={heartbeatLines}>
              No runtime reports here yet{user.isAdmin ? '' : ', or none that was approved'}. Add this to the runtime's
              deployment.toml:
            </Empty>
          ) : (
            <Reporting nodes={list.filter((node) => isInScope(scope, node))} scope={scope} />
          )
        }
      </Loaded>
    </>
  );
}

function Reporting({ nodes, scope }: { nodes: readonly NodeFacts[]; scope: Scope }) {
  const history = useResource<ListOf<HistoryEvent>>('/history', 10);
  const events = (history.data?.list ?? []).filter(({ group, node }) => isInScope(scope, { group, id: node }));
  // What happened to artifacts and runtimes; that a node was read says nothing of either.
  const changes = events.filter(({ what }) => what !== 'artifacts were read' && what !== 'late');
  const traffic = useTraffic();
  const now = Date.now();
  return (
    <>
      {nodes.length === 0 && <div className="note">None of the chosen nodes reports; choose others above.</div>}
      <Tiles nodes={nodes} traffic={traffic} />
      <section className="panel traffic-panel" aria-labelledby="traffic">
        <h2 id="traffic">
          Is traffic normal? <Link to="/traffic">By artifact</Link>
        </h2>
        <TimeChart
          moments={traffic?.moments ?? []}
          before={traffic?.momentsBefore ?? []}
          from={traffic?.from ?? now - 3_600_000}
          to={traffic?.to ?? now}
          step={traffic?.step ?? 60_000}
          marks={changes
            .filter(({ at }) => traffic !== undefined && at >= traffic.from)
            .map(({ at, node, what }) => ({ at, text: `${node}: ${what}` }))}
        />
      </section>
      <div className="columns three">
        <Up nodes={nodes} />
        <Failing nodes={nodes} scope={scope} traffic={traffic} />
        <Changed events={changes} />
      </div>
    </>
  );
}

/** The figures of the time range, each beside that of the time before. */
function Tiles({ nodes, traffic }: { nodes: readonly NodeFacts[]; traffic: Traffic | undefined }) {
  const healthy = nodes.filter(({ health }) => health === 'healthy').length;
  const drift = nodes.reduce((sum, { drift: own = 0 }) => sum + own, 0);
  const { total, before, seconds = 1 } = traffic ?? {};
  const isKnown = (traffic?.moments.length ?? 0) > 0;
  const share = (facts: Traffic['total']): string =>
    `${Number((((facts.errors ?? 0) / Math.max(1, facts.messages ?? 0)) * 100).toPrecision(2))} %`;
  return (
    <div className="tiles overview-tiles">
      <div className={healthy < nodes.length ? 'bad' : ''}>
        <strong>
          {healthy}/{nodes.length}
        </strong>{' '}
        nodes healthy{drift > 0 && <em>{countText(drift)} artifacts differ</em>}
      </div>
      <div>
        <strong>{isKnown && total ? `${rateText((total.messages ?? 0) / seconds)}/s` : '–'}</strong> messages
        {before && <em>{rateText((before.messages ?? 0) / seconds)}/s before</em>}
      </div>
      <div className={(total?.errors ?? 0) > 0 ? 'bad' : ''}>
        <strong>{isKnown && total ? share(total) : '–'}</strong> errors{before && <em>{share(before)} before</em>}
      </div>
      <div>
        <strong>{durationText(total?.p95 ?? undefined)}</strong> p95 of the slowest step
        {before && before.p95 !== null && <em>{durationText(before.p95)} before</em>}
      </div>
    </div>
  );
}

function Up({ nodes }: { nodes: readonly NodeFacts[] }) {
  const groups = [...new Set(nodes.map(({ group }) => group))];
  return (
    <section className="panel" aria-labelledby="up">
      <h2 id="up">Is everything up?</h2>
      {groups.map((group) => {
        const own = nodes.filter((node) => node.group === group);
        const unwell = own.filter(({ health, trust }) => health !== 'healthy' || trust !== 'approved');
        return (
          <div key={group}>
            <p className="line">
              <strong>{group}</strong>
              {unwell.length === 0 ? (
                <State word={own.length === 1 ? 'healthy' : `all ${own.length} healthy`} tone="ok" />
              ) : (
                <State word={`${own.length - unwell.length} of ${own.length} healthy`} tone="warn" />
              )}
            </p>
            {unwell.slice(0, 5).map((node) => (
              <p key={node.id} className="line">
                <State word={node.health === 'healthy' ? node.trust : node.health} />
                <Link to={`/nodes/${encodeURIComponent(group)}/${encodeURIComponent(node.id)}`}>{node.id}</Link>
                <span className="quiet">
                  <Ago at={node.lastBeat} />
                </span>
              </p>
            ))}
            {unwell.length > 5 && <Link to="/nodes">{unwell.length - 5} more</Link>}
          </div>
        );
      })}
    </section>
  );
}

function Failing(props: { nodes: readonly NodeFacts[]; scope: Scope; traffic: Traffic | undefined }) {
  const { nodes, scope, traffic } = props;
  const faulty = useResource<ListOf<ArtifactRow>>(scoped('/artifacts', scope, { state: 'faulty', limit: '5' }));
  const readable = nodes.filter(({ health, trust }) => health !== 'lost' && trust === 'approved').slice(0, 10);
  const faults = newestFaults(useNarratives(readable)).slice(0, 4);
  const worst = (traffic?.artifacts ?? [])
    .map(({ group, artifact, messages, errors }) => ({
      group,
      key: artifact,
      count: messages ?? 0,
      errors: errors ?? 0,
    }))
    .filter(({ errors }) => errors > 0)
    .toSorted((left, right) => right.errors - left.errors)
    .slice(0, 4);
  const broken = brokenFiles((useProblems(scope).data?.list ?? []).filter(({ severity }) => severity === 'error'));
  const isCalm =
    broken.length === 0 && worst.length === 0 && faults.length === 0 && (faulty.data?.list.length ?? 0) === 0;
  return (
    <section className="panel" aria-labelledby="failing">
      <h2 id="failing">What is failing?</h2>
      {(faulty.data?.list ?? []).map((artifact) => (
        <p key={artifactPath(artifact)} className="line">
          <State word="faulty" /> <Link to={artifactPath(artifact)}>{artifact.name}</Link>
        </p>
      ))}
      {broken.slice(0, 3).map(({ key, file, nodes: own }) => (
        <p key={key} className="line">
          <State word="not deployed" tone="bad" /> <Link to={`/problems?q=${encodeURIComponent(file)}`}>{file}</Link>
          <span className="quiet">on {own.length === 1 ? own[0] : `${own.length} nodes`}</span>
        </p>
      ))}
      {broken.length > 3 && (
        <p>
          <Link to="/problems?severity=error">{broken.length - 3} more files</Link>
        </p>
      )}
      {worst.map(({ group: own, key, count, errors }) => (
        <p key={`${own} ${key}`} className="line">
          <Link to={`${artifactPath({ group: own, ...artifactOf(key) })}?tab=flow`}>{key}</Link>
          {new Set(nodes.map((node) => node.group)).size > 1 && <span className="quiet">in {own}</span>}
          <span className="bad-text">{countText(errors)} errors</span>
          <span className="quiet">of {countText(count)}</span>
        </p>
      ))}
      {faults.map((fault) => (
        <FaultLine key={`${fault.node.id} ${fault.number}`} fault={fault} />
      ))}
      {isCalm && <State word="No message failed of late" tone="ok" />}
    </section>
  );
}

/** A message that failed, with the mediator in which it did. */
function FaultLine({ fault }: { fault: Fault }) {
  const { node, mediator, request, status, reason, at } = fault;
  const flow =
    mediator === undefined
      ? undefined
      : `${artifactPath({ group: node.group, ...artifactOf(mediator) })}?tab=flow&at=${encodeURIComponent(mediator)}`;
  return (
    <div className="fault">
      <p className="line">
        <State word="failed" />
        <code>{request}</code> {status}
        <span className="quiet">
          <Ago at={at} /> on {node.id}
        </span>
      </p>
      <p>
        {reason} {flow !== undefined && <Link to={flow}>{mediator}</Link>}
      </p>
    </div>
  );
}

function Changed({ events }: { events: readonly HistoryEvent[] }) {
  return (
    <section className="panel" aria-labelledby="changed">
      <h2 id="changed">What changed?</h2>
      {events.length === 0 && <p className="quiet">Nothing since the dashboard began.</p>}
      {events.slice(0, 8).map((event, index) => (
        <p key={index} className="line">
          <span className="when">
            <Ago at={event.at} />
          </span>
          <Link to={`/nodes/${encodeURIComponent(event.group)}/${encodeURIComponent(event.node)}`}>{event.node}</Link>
          {event.what}
        </p>
      ))}
    </section>
  );
}
