import { useState } from 'react';
import { nodePath, useResource, type ListOf, type NodeFacts, type User } from '../api.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { setSearch, usePlace } from '../location.tsx';
import { Ago, Empty, Facts, Loaded, State, Title } from '../parts.tsx';

interface AuditRecord {
  readonly at: number;
  readonly actor: string;
  readonly tenant: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: 'success' | 'failure';
  readonly detail?: Readonly<Record<string, unknown>>;
}

const columns: readonly Column<AuditRecord>[] = [
  { name: 'at', title: 'Time', sortBy: ({ at }) => -at, cell: ({ at }) => <Ago at={at} /> },
  { name: 'actor', title: 'Who', sortBy: ({ actor }) => actor, cell: ({ actor }) => actor },
  {
    name: 'action',
    title: 'Did',
    sortBy: ({ action }) => action,
    cell: ({ action }) => <span className="mono">{action}</span>,
  },
  {
    name: 'target',
    title: 'To',
    sortBy: ({ target }) => target,
    cell: ({ target }) => <span className="mono clip">{target}</span>,
  },
  {
    name: 'outcome',
    title: 'Outcome',
    sortBy: ({ outcome }) => outcome,
    cell: ({ outcome }) => <State word={outcome === 'success' ? 'done' : 'failed'} />,
  },
];

/** Who did what: on the dashboard, or on the administrative APIs of a runtime. */
export function AuditPage({ user }: { user: User }) {
  const of = usePlace().search.get('of') ?? '';
  const nodes = useResource<ListOf<NodeFacts>>(user.isAdmin ? '/nodes' : undefined, 30);
  const node = nodes.data?.list.find((each) => keyOf(each) === of);
  return (
    <>
      <Title title="Audit">
        {user.isAdmin && (
          <select aria-label="Whose records" value={of} onChange={(event) => setSearch('of', event.target.value)}>
            <option value="">The dashboard</option>
            {(nodes.data?.list ?? []).map((each) => (
              <option key={keyOf(each)} value={keyOf(each)}>
                {each.group} / {each.id}
              </option>
            ))}
          </select>
        )}
      </Title>
      {!user.isAdmin ? (
        <Empty>Only administrators see who did what.</Empty>
      ) : of !== '' && !node ? (
        nodes.data && <Empty>The node {of} does not report any more.</Empty>
      ) : (
        <Records key={of} path={node ? nodePath(node, 'audit') : '/audit'} isOfNode={node !== undefined} />
      )}
    </>
  );
}

function keyOf({ group, id }: NodeFacts): string {
  return `${group}/${id}`;
}

function Records({ path, isOfNode }: { path: string; isOfNode: boolean }) {
  const word = usePlace().search.get('q') ?? '';
  const isFailed = usePlace().search.get('failed') === 'true';
  const [picked, pick] = useState<AuditRecord>();
  const query = `${word}${isFailed ? ' failure' : ''}`.trim();
  const records = useResource<ListOf<AuditRecord>>(`${path}?q=${encodeURIComponent(query)}`, 5);
  return (
    <>
      <div className="bar">
        <input
          type="search"
          placeholder="Filter by user, action, target"
          aria-label="Filter by user, action, target"
          value={word}
          onChange={(event) => setSearch('q', event.target.value)}
        />
        <button className="chip" aria-pressed={isFailed} onClick={() => setSearch('failed', isFailed ? '' : 'true')}>
          Failed
        </button>
        <span className="quiet">
          The latest since {isOfNode ? 'the runtime' : 'the dashboard'} began; its log has all, in the area audit.
        </span>
      </div>
      <Loaded resource={records}>
        {({ list }) =>
          list.length === 0 ? (
            <Empty>
              {query === ''
                ? 'Nobody has changed anything here since the start.'
                : 'No record fits. Take a filter away to see more.'}
            </Empty>
          ) : (
            <div className={picked ? 'split' : ''}>
              <DataTable
                label="Audit records"
                columns={columns}
                rows={list}
                rowKey={({ at, actor, action, target }) => `${at} ${actor} ${action} ${target}`}
                onPick={pick}
                onOpen={pick}
                onPeek={pick}
              />
              {picked && (
                <aside aria-label="Record">
                  <h2 className="first">{picked.action}</h2>
                  <Facts
                    rows={[
                      ['When', new Date(picked.at).toLocaleString()],
                      ['Who', picked.actor],
                      ['To', <code key="to">{picked.target}</code>],
                      ['Outcome', picked.outcome],
                      ...Object.entries(picked.detail ?? {}).map(([name, value]) => [name, String(value)] as const),
                    ]}
                  />
                  <div className="bar">
                    <button onClick={() => pick(undefined)}>Close</button>
                  </div>
                </aside>
              )}
            </div>
          )
        }
      </Loaded>
    </>
  );
}
