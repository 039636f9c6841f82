import { useMemo, useState } from 'react';
import { ask } from '../api.ts';
import { figuresOf, useCounters } from '../figures.ts';
import { FlowOutline, FlowView } from '../flow/flow-view.tsx';
import { waysOf, type Station } from '../flow/model.ts';
import { Link, setSearch, usePlace } from '../location.tsx';
import { Facts, durationText } from '../parts.tsx';
import { sourceOf, type Artifact } from './artifact-facts.ts';

export function FlowTab({ artifact }: { artifact: Artifact }) {
  const { group, kind, name } = artifact;
  const source = sourceOf(artifact.detail);
  const { search } = usePlace();
  const ways = useMemo(() => waysOf(`${kind}:${name}`, source), [kind, name, source]);
  const nodes = useMemo(
    () => artifact.on.map(({ node }) => ({ group, id: node })),
    [group, artifact.on.map(({ node }) => node).join()],
  );
  const counters = useCounters(nodes, `${kind}:${name}`);
  const figures = figuresOf(counters);
  const [isOutline, setOutline] = useState(false);
  const [captured, setCaptured] = useState<string>();
  const way = ways[Number(search.get('way') ?? 0)] ?? ways[0];
  const selected = search.get('at') ?? undefined;
  const station = way && find([...way.request, ...way.response, ...way.fault], selected);
  if (!way) return <p>A {kind} has no flow of its own.</p>;
  const select = ({ id }: Station): void => setSearch('at', id);
  const capture = async (): Promise<void> => {
    try {
      const body = { artifact: `${kind}:${name}`, next: 20, seconds: 600, payloads: true };
      for (const node of nodes) {
        await ask('POST', `/nodes/${encodeURIComponent(group)}/${encodeURIComponent(node.id)}/captures`, body);
      }
      setCaptured('The next 20 messages are traced, for ten minutes at most. They will be under Traces.');
    } catch (error) {
      setCaptured(error instanceof Error ? error.message : String(error));
    }
  };
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
        <button aria-pressed={isOutline} onClick={() => setOutline(!isOutline)}>
          Outline
        </button>
        <button onClick={() => void capture()}>Trace the next 20</button>
      </div>
      {captured !== undefined && (
        <div className="note" role="status">
          {captured}
        </div>
      )}
      <div className="split">
        <div>
          {isOutline ? (
            (['request', 'response', 'fault'] as const).map(
              (lane) =>
                way[lane].length > 0 && (
                  <section key={lane}>
                    <h2>{lane}</h2>
                    <FlowOutline stations={way[lane]} onSelect={select} />
                  </section>
                ),
            )
          ) : (
            <FlowView way={way} figures={figures} selected={selected} onSelect={select} />
          )}
        </div>
        <aside aria-label="Station">
          {station ? (
            <StationFacts station={station} source={source} figures={figures?.get(station.id)} />
          ) : (
            <p className="quiet">Pick a station to see its source and figures.</p>
          )}
        </aside>
      </div>
    </>
  );
}

function find(stations: readonly Station[], id: string | undefined): Station | undefined {
  for (const station of stations) {
    const found =
      station.id === id
        ? station
        : find(
            station.branches.flatMap((branch) => branch.stations),
            id,
          );
    if (found) return found;
  }
  return undefined;
}

function StationFacts(props: {
  station: Station;
  source: string;
  figures: { count: number; errors: number; inFlight: number; p95: number | undefined } | undefined;
}) {
  const { station, source, figures } = props;
  const { path } = usePlace();
  const excerpt = source
    .split('\n')
    .slice(station.line - 1, station.lastLine)
    .join('\n');
  return (
    <>
      <h2>{station.element}</h2>
      <Facts
        rows={[
          ['Identity', <code key="id">{station.id}</code>],
          [
            'Line',
            <Link key="line" to={`${path}?tab=source&line=${station.line}`}>
              {station.line}
            </Link>,
          ],
          ...station.attributes,
          ...(figures
            ? ([
                ['Messages', figures.count],
                ['Errors', figures.errors],
                ['In it now', figures.inFlight],
                ['95 of 100 within', durationText(figures.p95)],
              ] as const)
            : []),
        ]}
      />
      <pre tabIndex={0}>{excerpt}</pre>
    </>
  );
}
