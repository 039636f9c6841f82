import { useMemo } from 'react';
import { useResource, type ListOf, type NodeFacts } from '../api.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { p95Of, useCounters, type Counter } from '../figures.ts';
import { Link, usePlace } from '../location.tsx';
import { Empty, Loaded, Title, durationText } from '../parts.tsx';
import { RateChart, totalsOf, useRates } from '../rates.tsx';

interface Row {
  readonly key: string;
  readonly path: string;
  readonly count: number;
  readonly errors: number;
  readonly inFlight: number;
  readonly p95: number | undefined;
}

const columns: readonly Column<Row>[] = [
  { name: 'key', title: 'Artifact', sortBy: ({ key }) => key, cell: ({ key, path }) => <Link to={path}>{key}</Link> },
  { name: 'count', title: 'Messages', isNumber: true, sortBy: ({ count }) => count, cell: ({ count }) => count },
  { name: 'errors', title: 'Errors', isNumber: true, sortBy: ({ errors }) => errors, cell: ({ errors }) => errors },
  {
    name: 'inFlight',
    title: 'In flight',
    isNumber: true,
    sortBy: ({ inFlight }) => inFlight,
    cell: ({ inFlight }) => inFlight,
  },
  {
    name: 'p95',
    title: 'Slowest mediator, p95',
    isNumber: true,
    sortBy: ({ p95 }) => p95 ?? 0,
    cell: ({ p95 }) => durationText(p95),
  },
];

export function TrafficPage() {
  const group = usePlace().search.get('group');
  const nodes = useResource<ListOf<NodeFacts>>(`/nodes${group === null ? '' : `?group=${encodeURIComponent(group)}`}`);
  return (
    <>
      <Title title="Traffic" />
      <Loaded resource={nodes}>
        {({ list }) => (
          <Counted nodes={list.filter(({ health, trust }) => health !== 'lost' && trust === 'approved')} />
        )}
      </Loaded>
    </>
  );
}

function Counted({ nodes }: { nodes: readonly NodeFacts[] }) {
  const counters = useCounters(nodes);
  const rates = useRates(counters);
  const rows = useMemo(() => {
    const byArtifact = new Map<string, Counter[]>();
    for (const counter of counters?.byId.values() ?? []) {
      const key = counter.id.split('/', 1)[0] ?? '';
      byArtifact.set(key, [...(byArtifact.get(key) ?? []), counter]);
    }
    const group = nodes[0]?.group ?? 'default';
    return [...byArtifact].map(([key, list]): Row => {
      const [kind = '', ...name] = key.split(':');
      const totals = counters && /^(?:api|proxy):/.test(key) ? totalsOf(counters, key) : undefined;
      return {
        key,
        path: `/artifacts/${encodeURIComponent(group)}/${kind}/${encodeURIComponent(name.join(':'))}?tab=flow`,
        count: totals?.count ?? Math.max(...list.map(({ count }) => count)),
        errors: list.reduce((sum, { errors }) => sum + errors, 0),
        inFlight: Math.max(...list.map(({ inFlight }) => inFlight)),
        p95: Math.max(0, ...list.map((counter) => p95Of(counter, counters?.bounds ?? []) ?? 0)),
      };
    });
  }, [counters, nodes]);
  if (!counters) return null;
  if (rows.length === 0) {
    return (
      <Empty snippet={'[mediation]\nflow.statistics.enable = true\nflow.statistics.capture_all = true'}>
        {counters.problem === undefined
          ? 'Nothing is counted yet. Open an artifact and choose Count, or count everything in deployment.toml:'
          : `The runtimes tell no figures (${counters.problem}). Ours do when they count:`}
      </Empty>
    );
  }
  return (
    <>
      <RateChart rates={rates} />
      <h2>By artifact</h2>
      <DataTable
        label="Traffic by artifact"
        columns={columns}
        rows={rows.toSorted((left, right) => right.errors - left.errors)}
        rowKey={({ key }) => key}
      />
    </>
  );
}
