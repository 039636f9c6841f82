import { useResource, type ListOf, type NodeFacts } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { Link, navigate, setSearch, usePlace } from '../location.tsx';
import { Empty, Loaded, Title, countText, durationText } from '../parts.tsx';
import { rateText, TimeChart } from '../time-chart.tsx';
import { artifactOf } from '../trace-model.ts';
import { useTraffic, type Traffic } from '../traffic.ts';

type Row = Traffic['artifacts'][number] & { readonly path: string; readonly seconds: number };

const number = (title: string, name: 'messages' | 'errors', text: (row: Row) => string): Column<Row> => ({
  name,
  title,
  isNumber: true,
  sortBy: (row) => row[name] ?? 0,
  cell: text,
});
const time = (title: string, name: 'meanTime' | 'p50' | 'p95' | 'p99'): Column<Row> => ({
  name,
  title,
  isNumber: true,
  sortBy: (row) => row[name] ?? 0,
  cell: (row) => durationText(row[name] ?? undefined),
});

const columns: readonly Column<Row>[] = [
  {
    name: 'artifact',
    title: 'Artifact',
    sortBy: ({ artifact }) => artifact,
    cell: ({ artifact, path }) => <Link to={path}>{artifact}</Link>,
  },
  number('Messages', 'messages', ({ messages }) => countText(messages ?? 0)),
  {
    name: 'rate',
    title: 'A second',
    isNumber: true,
    sortBy: ({ messages }) => messages ?? 0,
    cell: ({ messages, seconds }) => rateText((messages ?? 0) / seconds),
  },
  number('Errors', 'errors', ({ errors }) => countText(errors ?? 0)),
  time('Mean', 'meanTime'),
  time('p50', 'p50'),
  time('p95', 'p95'),
  time('p99', 'p99'),
];

/** Where the groups on the page are several. */
const groupColumn: Column<Row> = {
  name: 'group',
  title: 'Group',
  sortBy: ({ group }) => group,
  cell: ({ group }) => group,
};

export function TrafficPage() {
  const nodes = useResource<ListOf<NodeFacts>>('/nodes', 30);
  return (
    <>
      <Title title="Traffic" />
      <Loaded resource={nodes}>
        {({ list }) =>
          list.length === 0 ? (
            <Empty>No runtime reports here yet; the overview says what one needs for that.</Empty>
          ) : (
            <Counted />
          )
        }
      </Loaded>
    </>
  );
}

function Counted() {
  const artifact = usePlace().search.get('artifact') ?? undefined;
  const traffic = useTraffic(artifact);
  if (!traffic) return null;
  const groups = new Set(traffic.artifacts.map(({ group }) => group));
  const rows = traffic.artifacts.map((facts) => ({
    ...facts,
    seconds: traffic.seconds,
    path: `${artifactPath({ group: facts.group, ...artifactOf(facts.artifact) })}?tab=flow`,
  }));
  return (
    <>
      <section className="panel traffic-panel" aria-label="Messages over time">
        <h2>
          {artifact ?? 'All APIs and proxy services'}
          {artifact !== undefined && (
            <button className="link" onClick={() => setSearch('artifact', '')}>
              Show all
            </button>
          )}
        </h2>
        <TimeChart
          moments={traffic.moments}
          before={traffic.momentsBefore}
          from={traffic.from}
          to={traffic.to}
          step={traffic.step}
          marks={[]}
        />
      </section>
      {rows.length === 0 ? (
        <Empty snippet={'[mediation]\nflow.statistics.enable = true\nflow.statistics.capture_all = true'}>
          Nothing was counted in this time. Open an artifact and choose Count, or count everything in deployment.toml:
        </Empty>
      ) : (
        <>
          <h2>By artifact</h2>
          <DataTable
            label="Traffic by artifact"
            columns={groups.size > 1 ? [...columns.slice(0, 1), groupColumn, ...columns.slice(1)] : columns}
            rows={rows}
            rowKey={({ path }) => path}
            onOpen={({ path }) => navigate(path)}
            onPeek={({ artifact: key }) => setSearch('artifact', key)}
            onPick={({ artifact: key }) => setSearch('artifact', key)}
          />
        </>
      )}
    </>
  );
}
