import { useEffect, useState } from 'react';
import { useResource, type ListOf, type User } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { Link, navigate, setSearch, usePlace, useScope } from '../location.tsx';
import { Ago, Empty, Loaded, State, Title, durationText, sizeText } from '../parts.tsx';
import { scoped } from '../scope.ts';
import { SilentNodes, type SilentNode } from '../silent-nodes.tsx';
import { artifactOf } from '../trace-model.ts';

interface TraceRow {
  readonly group: string;
  readonly node: string;
  readonly number: number;
  readonly message: string;
  readonly artifact: string;
  readonly at: number;
  readonly duration?: number;
  readonly failed: boolean;
  readonly steps: number;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly size?: number;
  readonly endedIn?: string;
}

interface Traces extends ListOf<TraceRow> {
  readonly silent: readonly SilentNode[];
}

const pathOf = ({ group, node, number }: TraceRow): string =>
  `/traces/${encodeURIComponent(group)}/${encodeURIComponent(node)}/${number}`;

/** @param longest milliseconds of the longest trace that is shown, for the bars */
function columnsOf(longest: number, isOfSeveral: boolean): readonly Column<TraceRow>[] {
  const columns: readonly Column<TraceRow>[] = [
    { name: 'at', title: 'Time', sortBy: ({ at }) => -at, cell: (row) => <Ago at={row.at} /> },
    {
      name: 'artifact',
      title: 'Began in',
      sortBy: ({ artifact }) => artifact,
      cell: (row) => <Link to={pathOf(row)}>{row.artifact}</Link>,
    },
    {
      name: 'request',
      title: 'Request',
      sortBy: ({ path, method }) => `${path ?? ''} ${method ?? ''}`,
      cell: ({ method, path }) =>
        path === undefined ? (
          <span className="quiet">–</span>
        ) : (
          <code className="clip" title={`${method ?? ''} ${path}`}>
            {method} {path}
          </code>
        ),
    },
    {
      name: 'status',
      title: 'Status',
      sortBy: ({ failed, status }) => `${failed} ${status ?? ''}`,
      cell: ({ failed, status }) => (
        <State
          word={`${status ?? ''} ${failed ? 'failed' : (status ?? 200) >= 400 ? 'refused' : 'done'}`.trim()}
          tone={failed || (status ?? 0) >= 500 ? 'bad' : (status ?? 0) >= 400 ? 'warn' : 'ok'}
        />
      ),
    },
    {
      name: 'duration',
      title: 'Duration',
      isNumber: true,
      sortBy: ({ duration }) => duration ?? 0,
      cell: ({ duration }) => (
        <span className="measured">
          <span className="track" aria-hidden="true">
            <i style={{ width: `${((duration ?? 0) / longest) * 100}%` }} />
          </span>
          {durationText(duration)}
        </span>
      ),
    },
    {
      name: 'ended',
      title: 'Ended in',
      sortBy: ({ endedIn }) => endedIn ?? '',
      cell: (row) => <EndedIn row={row} />,
    },
    {
      name: 'size',
      title: 'Size',
      isNumber: true,
      sortBy: ({ size }) => size ?? -1,
      cell: ({ size }) =>
        size === undefined ? (
          <span className="quiet">–</span>
        ) : (
          <span title={`${size} characters`}>{sizeText(size)}</span>
        ),
    },
    { name: 'steps', title: 'Steps', isNumber: true, sortBy: ({ steps }) => steps, cell: ({ steps }) => steps },
    { name: 'node', title: 'Node', sortBy: ({ node }) => node, cell: ({ node }) => node },
  ];
  return isOfSeveral ? columns : columns.filter(({ name }) => name !== 'node');
}

/** The mediator in which a message ended, within the artifact in which it began or another. */
function EndedIn({ row: { group, endedIn, artifact } }: { row: TraceRow }) {
  if (endedIn === undefined) return <span className="quiet">–</span>;
  const short = endedIn.startsWith(`${artifact}/`) ? endedIn.slice(artifact.length + 1) : endedIn;
  const to = `${artifactPath({ group, ...artifactOf(endedIn) })}?tab=flow&at=${encodeURIComponent(endedIn)}`;
  return (
    <Link className="clip" to={to} title={endedIn}>
      {short}
    </Link>
  );
}

export function TracesPage({ user }: { user: User }) {
  return (
    <>
      <Title title="Traces" />
      {user.isAdmin ? <TraceList /> : <Empty>Traces hold what messages hold: only administrators see them.</Empty>}
    </>
  );
}

function TraceList() {
  const { search } = usePlace();
  const isFailed = search.get('failed') === 'true';
  const artifact = search.get('artifact');
  const word = useSettled(search.get('q') ?? '');
  const traces = useResource<Traces>(
    scoped('/traces', useScope(), {
      ...(isFailed && { failed: 'true' }),
      ...(artifact !== null && { artifact }),
      ...(word !== '' && { q: word }),
    }),
    5,
  );
  const isFiltered = isFailed || artifact !== null || word !== '';
  return (
    <>
      <div className="bar">
        <input
          type="search"
          placeholder="Text in headers, payloads, properties"
          aria-label="Text in headers, payloads, properties"
          value={search.get('q') ?? ''}
          onChange={(event) => setSearch('q', event.target.value)}
        />
        <button className="chip" aria-pressed={isFailed} onClick={() => setSearch('failed', isFailed ? '' : 'true')}>
          Failed
        </button>
        {artifact !== null && (
          <button className="chip" aria-pressed="true" onClick={() => setSearch('artifact', '')}>
            {artifact} ✕
          </button>
        )}
        <span className="quiet" role="status">
          {traces.data && `${traces.data.list.length} traced`}
        </span>
      </div>
      <Loaded resource={traces}>
        {({ list, silent }) => (
          <>
            <SilentNodes nodes={silent} />
            {list.length > 0 ? (
              <DataTable
                label="Traces"
                columns={columnsOf(
                  Math.max(1, ...list.map(({ duration }) => duration ?? 0)),
                  new Set(list.map(({ group, node }) => `${group} ${node}`)).size > 1,
                )}
                rows={list}
                rowKey={pathOf}
                onOpen={(row) => navigate(pathOf(row))}
              />
            ) : isFiltered ? (
              <Empty>No traced message fits. Take a filter away to see more.</Empty>
            ) : (
              <Empty>
                Nothing was traced yet. Open an artifact, go to its flow and choose “Trace the next 20”, then send it a
                request. <Link to="/artifacts">Artifacts</Link>
              </Empty>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** A text that nobody has changed for a moment: every node is asked for it. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
