import { nodePath, useResource, type ListOf, type NodeFacts } from '../api.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { Link, navigate, setSearch, usePlace } from '../location.tsx';
import { OfNode } from '../of-node.tsx';
import { Ago, Empty, Loaded, State, durationText } from '../parts.tsx';

interface TraceRow {
  readonly number: number;
  readonly message: string;
  readonly artifact: string;
  readonly correlation?: string;
  readonly at: number;
  readonly duration?: number;
  readonly failed: boolean;
  readonly steps: number;
}

export function TracesPage() {
  return <OfNode title="Traces">{(node) => <Traces node={node} />}</OfNode>;
}

function Traces({ node }: { node: NodeFacts }) {
  const { search } = usePlace();
  const word = (search.get('q') ?? '').toLowerCase();
  const isFailed = search.get('failed') === 'true';
  const traces = useResource<ListOf<TraceRow>>(nodePath(node, 'traces'), 5);
  const pathOf = (row: TraceRow): string =>
    `/traces/${encodeURIComponent(node.group)}/${encodeURIComponent(node.id)}/${row.number}`;
  const columns: readonly Column<TraceRow>[] = [
    { name: 'at', title: 'Time', sortBy: ({ at }) => -at, cell: (row) => <Ago at={row.at} /> },
    {
      name: 'artifact',
      title: 'Began in',
      sortBy: ({ artifact }) => artifact,
      cell: (row) => <Link to={pathOf(row)}>{row.artifact}</Link>,
    },
    {
      name: 'failed',
      title: 'Outcome',
      sortBy: ({ failed }) => String(failed),
      cell: ({ failed }) => <State word={failed ? 'failed' : 'healthy'} />,
    },
    {
      name: 'duration',
      title: 'Duration',
      isNumber: true,
      sortBy: ({ duration }) => duration ?? 0,
      cell: ({ duration }) => durationText(duration),
    },
    { name: 'steps', title: 'Steps', isNumber: true, sortBy: ({ steps }) => steps, cell: ({ steps }) => steps },
    { name: 'message', title: 'Message', cell: ({ message }) => <span className="mono clip">{message}</span> },
  ];
  return (
    <>
      <div className="bar">
        <input
          type="search"
          placeholder="Filter by artifact or message"
          aria-label="Filter by artifact or message"
          value={search.get('q') ?? ''}
          onChange={(event) => setSearch('q', event.target.value)}
        />
        <button className="chip" aria-pressed={isFailed} onClick={() => setSearch('failed', isFailed ? '' : 'true')}>
          Failed
        </button>
      </div>
      <Loaded resource={traces}>
        {({ list }) => {
          const shown = list
            .filter((row) => !isFailed || row.failed)
            .filter((row) => `${row.artifact} ${row.message} ${row.correlation ?? ''}`.toLowerCase().includes(word))
            .toReversed();
          return list.length === 0 ? (
            <Empty>
              Nothing was traced yet. Open an artifact, go to its flow and choose “Trace the next 20”, then send it a
              request. <Link to="/artifacts">Artifacts</Link>
            </Empty>
          ) : (
            <DataTable
              label="Traces"
              columns={columns}
              rows={shown}
              rowKey={({ number }) => String(number)}
              onOpen={(row) => navigate(pathOf(row))}
            />
          );
        }}
      </Loaded>
    </>
  );
}
