import { useResource, type ArtifactRow, type ListOf, type NodeFacts, type User } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { figuresOf, useCounters } from '../figures.ts';
import { Link, usePlace } from '../location.tsx';
import { Ago, Empty, Loaded, State, Title } from '../parts.tsx';
import { RateChart, useRates } from '../rates.tsx';
import { newestFaults, useNarratives } from '../narratives.ts';
import { heartbeatLines } from '../heartbeat-lines.ts';

interface HistoryEvent {
  readonly type: string;
  readonly group: string;
  readonly node: string;
  readonly what: string;
  readonly at: number;
}

/** Four questions without scrolling: is everything up, is traffic normal, what is failing, what changed. */
export function OverviewPage({ user }: { user: User }) {
  const group = usePlace().search.get('group');
  const query = group === null ? '' : `?group=${encodeURIComponent(group)}`;
  const nodes = useResource<ListOf<NodeFacts>>(`/nodes${query}`, 5);
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
            <Reporting nodes={list} query={query} />
          )
        }
      </Loaded>
    </>
  );
}

function Reporting({ nodes, query }: { nodes: readonly NodeFacts[]; query: string }) {
  const failing = useResource<ListOf<ArtifactRow>>(
    `/artifacts${query}${query === '' ? '?' : '&'}state=faulty&limit=20`,
  );
  const history = useResource<ListOf<HistoryEvent>>('/history', 10);
  const readable = nodes.filter(({ health, trust }) => health !== 'lost' && trust === 'approved').slice(0, 10);
  const counters = useCounters(readable);
  const rates = useRates(counters);
  const faults = newestFaults(useNarratives(readable)).slice(0, 5);
  const worst = [...(figuresOf(counters) ?? new Map())].length;
  const groups = [...new Set(nodes.map(({ group }) => group))];
  return (
    <div className="columns">
      <section className="panel" aria-labelledby="up">
        <h2 id="up">Is everything up?</h2>
        {groups.map((group) => {
          const own = nodes.filter((node) => node.group === group);
          const healthy = own.filter(({ health }) => health === 'healthy').length;
          return (
            <div key={group}>
              <p>
                <span className="figure">
                  {healthy}/{own.length}
                </span>{' '}
                nodes of {group} are healthy
              </p>
              {own
                .filter(({ health, trust }) => health !== 'healthy' || trust !== 'approved')
                .slice(0, 6)
                .map((node) => (
                  <p key={node.id}>
                    <State word={node.health === 'healthy' ? node.trust : node.health} />{' '}
                    <Link to={`/nodes/${encodeURIComponent(group)}/${encodeURIComponent(node.id)}`}>{node.id}</Link>{' '}
                    <span className="quiet">
                      last heartbeat <Ago at={node.lastBeat} />
                    </span>
                  </p>
                ))}
            </div>
          );
        })}
      </section>
      <section className="panel" aria-labelledby="traffic">
        <h2 id="traffic">Is traffic normal?</h2>
        {worst === 0 ? (
          <p className="quiet">
            Nothing is counted. Open an artifact and choose Count, or set <code>mediation.flow.statistics.enable</code>.
          </p>
        ) : (
          <>
            <RateChart rates={rates} />
            <p>
              <Link to="/traffic">Traffic by artifact</Link>
            </p>
          </>
        )}
      </section>
      <section className="panel" aria-labelledby="failing">
        <h2 id="failing">What is failing?</h2>
        {(failing.data?.list ?? []).map((artifact) => (
          <p key={artifactPath(artifact)}>
            <State word="faulty" /> <Link to={artifactPath(artifact)}>{artifact.name}</Link>
          </p>
        ))}
        {faults.map((fault) => (
          <p key={`${fault.node.id} ${fault.number}`}>
            <State word="failed" /> <code>{fault.request}</code> {fault.status} <Ago at={fault.at} />
            <br />
            <span className="quiet">{fault.reason}</span>
          </p>
        ))}
        {faults.length === 0 && (failing.data?.list.length ?? 0) === 0 && <p>No message failed of late.</p>}
      </section>
      <section className="panel" aria-labelledby="changed">
        <h2 id="changed">What changed?</h2>
        {(history.data?.list ?? []).slice(0, 8).map((event, index) => (
          <p key={index}>
            <Ago at={event.at} /> {event.node}: {event.what}
          </p>
        ))}
      </section>
    </div>
  );
}
