import { useMemo, useState } from 'react';
import { ask, messageOf, nodePath, useResource, type User } from '../api.ts';
import { figuresOf, useCounters } from '../figures.ts';
import { FlowOutline, FlowView, type Figures } from '../flow/flow-view.tsx';
import { allStations, waysOf, type Station, type Way } from '../flow/model.ts';
import { useListsOfNodes, type NodeName } from '../lists-of-nodes.ts';
import { Link, setSearch, usePlace } from '../location.tsx';
import { Ago, CopyButton, Empty, Facts, State, countText, durationText } from '../parts.tsx';
import { Sparkline } from '../sparkline.tsx';
import type { Trace } from '../trace-model.ts';
import { sourceOf, type Artifact } from './artifact-facts.ts';

export function FlowTab({ artifact, user }: { artifact: Artifact; user: User }) {
  const { group, kind, name } = artifact;
  const source = sourceOf(artifact.detail);
  const { search } = usePlace();
  const ways = useMemo(() => waysOf(`${kind}:${name}`, source), [kind, name, source]);
  const names = artifact.on.map(({ node }) => node).join(' ');
  const nodes = useMemo(() => artifact.on.map(({ node }) => ({ group, id: node })), [group, names]);
  const counters = useCounters(nodes, `${kind}:${name}`);
  const figures = figuresOf(counters);
  const selected = search.get('at') ?? undefined;
  const isOutline = search.get('as') === 'outline';
  // A link to a station shows the way that it stands in.
  const holding = ways.findIndex((way) => stationsOf(way).some(({ id }) => id === selected));
  const chosen = search.has('way') ? Number(search.get('way')) : Math.max(0, holding);
  const way = ways[chosen] ?? ways[0];
  if (!way) return <Empty>{`${kind} has no flow of its own, or the runtime shows no source of it.`}</Empty>;
  const station = stationsOf(way).find(({ id }) => id === selected);
  const select = ({ id }: Station): void => setSearch('at', id);
  return (
    <>
      <div className="bar">
        {ways.length > 1 && (
          <select
            aria-label="Resource"
            value={ways.indexOf(way)}
            onChange={(event) => setSearch('way', event.target.value)}
          >
            {ways.map(({ title }, index) => (
              <option key={index} value={index}>
                {title}
              </option>
            ))}
          </select>
        )}
        <button aria-pressed={isOutline} onClick={() => setSearch('as', isOutline ? '' : 'outline')}>
          Outline
        </button>
        {user.isAdmin && <TraceNext artifact={`${kind}:${name}`} nodes={nodes} />}
        <span className="quiet">
          {figures ? 'Figures since the runtimes began to count, over all nodes' : 'Choose Count above to see figures'}
        </span>
      </div>
      <div className={station ? 'split' : ''}>
        <div>
          {isOutline ? (
            counters !== undefined &&
            (['request', 'response', 'fault'] as const).map(
              (lane) =>
                way[lane].length > 0 && (
                  <section key={lane}>
                    <h2>{lane}</h2>
                    <FlowOutline stations={way[lane]} figures={figures} onSelect={select} />
                  </section>
                ),
            )
          ) : (
            <FlowView way={way} figures={figures} selected={selected} onSelect={select} />
          )}
        </div>
        {station && (
          <aside aria-label="Station">
            <StationFacts station={station} source={source} group={group} figures={figures?.get(station.id)} />
            {user.isAdmin && <LastTraces artifact={`${kind}:${name}`} nodes={nodes} station={station} />}
          </aside>
        )}
      </div>
    </>
  );
}

function stationsOf(way: Way): readonly Station[] {
  return allStations([...way.request, ...way.response, ...way.fault]);
}

function TraceNext({ artifact, nodes }: { artifact: string; nodes: readonly NodeName[] }) {
  const [outcome, setOutcome] = useState<string>();
  const capture = async (): Promise<void> => {
    try {
      const body = { artifact, next: 20, seconds: 600, payloads: true };
      await Promise.all(nodes.map((node) => ask('POST', nodePath(node, 'captures'), body)));
      setOutcome('The next 20 messages are traced on each node, for ten minutes at most.');
    } catch (error) {
      setOutcome(messageOf(error));
    }
  };
  return (
    <>
      <button onClick={() => void capture()}>Trace the next 20</button>
      {outcome !== undefined && (
        <span role="status">
          {outcome} <Link to="/traces">Traces</Link>
        </span>
      )}
    </>
  );
}

function StationFacts(props: { station: Station; source: string; group: string; figures: Figures | undefined }) {
  const { station, source, group, figures } = props;
  const { path } = usePlace();
  const excerpt = source
    .split('\n')
    .slice(station.line - 1, station.lastLine)
    .join('\n');
  return (
    <>
      <h2 className="first">
        {station.element} <span className="quiet">{station.label}</span>
      </h2>
      {figures && (
        <div className="tiles">
          <div>
            <strong>{countText(figures.count)}</strong> messages
          </div>
          <div className={figures.errors > 0 ? 'bad' : ''}>
            <strong>{countText(figures.errors)}</strong> errors
          </div>
          <div>
            <strong>{durationText(figures.p95)}</strong> p95
          </div>
          <div>
            <strong>{figures.inFlight}</strong> in it now
          </div>
        </div>
      )}
      {figures && <StationHistory id={station.id} group={group} />}
      <Facts
        rows={[
          ['Identity', <code key="id">{station.id}</code>],
          [
            'Line',
            <Link key="line" to={`${path}?tab=source&line=${station.line}&to=${station.lastLine}`}>
              {station.line}
            </Link>,
          ],
          ...station.attributes.filter(([name]) => !name.startsWith('xmlns')),
        ]}
      />
      <pre tabIndex={0}>{unindented(excerpt)}</pre>
      <CopyButton text={station.id} label="Copy identity" />
    </>
  );
}

interface StationRollups {
  readonly points: readonly { readonly messages: number | null; readonly errors: number | null }[];
}

/** What passed in each minute of the last hour, as far as the dashboard looked; the last one is not over. */
function StationHistory({ id, group }: { id: string; group: string }) {
  const query = new URLSearchParams({ mediator: id, group, step: '60' });
  const rollups = useResource<StationRollups>(`/rollups?${query.toString()}`, 5);
  const minutes = (rollups.data?.points ?? []).flatMap(({ messages }) => (messages === null ? [] : [messages]));
  if (minutes.length < 2) return null;
  const most = Math.max(...minutes);
  return (
    <figure className="history">
      <Sparkline
        values={minutes}
        label={`Messages a minute over the last ${minutes.length} minutes, ${countText(most)} at most`}
      />
      <figcaption>
        a minute, {countText(most)} at most, last {minutes.length} minutes
      </figcaption>
    </figure>
  );
}

function LastTraces(props: { artifact: string; nodes: readonly NodeName[]; station: Station }) {
  const { artifact, nodes, station } = props;
  const found = useListsOfNodes<Trace>(nodes, `traces?artifact=${encodeURIComponent(artifact)}`);
  if (!found) return null;
  const traces = found.toSorted((a, b) => b.item.at - a.item.at).slice(0, 5);
  return (
    <>
      <h2>Last traces</h2>
      {traces.length === 0 && <p className="quiet">None yet: choose “Trace the next 20”, then send a request.</p>}
      {traces.map(({ node, item: trace }) => (
        <p key={`${node.id} ${trace.number}`} className="line">
          <State word={trace.failed ? 'failed' : 'healthy'} />
          <Link
            to={`/traces/${encodeURIComponent(node.group)}/${encodeURIComponent(node.id)}/${trace.number}?at=${encodeURIComponent(station.id)}`}
          >
            <Ago at={trace.at} />
          </Link>
          <span className="quiet">
            {durationText(trace.duration)} on {node.id}
          </span>
        </p>
      ))}
    </>
  );
}

/** An excerpt moved to the left edge. */
function unindented(text: string): string {
  const lines = text.split('\n');
  const least = Math.min(
    ...lines
      .slice(1)
      .filter((line) => line.trim() !== '')
      .map((line) => line.search(/\S/)),
    99,
  );
  return lines
    .map((line, index) => (index === 0 ? line.trimStart() : line.slice(Math.min(least, line.search(/\S|$/)))))
    .join('\n');
}
