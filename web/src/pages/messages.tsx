import { useEffect, useState, type ReactNode } from 'react';
import {
  ApiError,
  ask,
  attempt,
  nodePath,
  useResource,
  type ArtifactRow,
  type ListOf,
  type NodeFacts,
  type User,
} from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { Confirmed } from '../confirmed.tsx';
import { DataTable, type Column } from '../data-table.tsx';
import { Link, setSearch, usePlace } from '../location.tsx';
import { OfNode } from '../of-node.tsx';
import { Empty, Facts, Loaded, State, countText, sizeText, valueText } from '../parts.tsx';
import { pretty } from '../trace-model.ts';

type Item = Readonly<Record<string, unknown>>;

export function MessagesPage({ user }: { user: User }) {
  const store = usePlace().search.get('store');
  return (
    <OfNode title="Messages">
      {(node) =>
        store === null ? (
          <>
            <h2 className="first">Message stores</h2>
            <div className="stores">
              <Stores node={node} />
            </div>
            <h2>Message processors and tasks</h2>
            <Running />
          </>
        ) : (
          <Store key={`${node.id} ${store}`} node={node} store={store} user={user} />
        )
      }
    </OfNode>
  );
}

function Stores({ node }: { node: NodeFacts }) {
  const stores = useResource<ListOf<Item>>(nodePath(node, 'message-stores'), 5);
  const nameOf = (item: Item): string => valueText(item['name']);
  const columns: readonly Column<Item>[] = [
    {
      name: 'name',
      title: 'Store',
      sortBy: nameOf,
      cell: (item) => <Link to={`/messages?store=${encodeURIComponent(nameOf(item))}`}>{nameOf(item)}</Link>,
    },
    { name: 'type', title: 'Type', sortBy: (item) => valueText(item['type']), cell: (item) => valueText(item['type']) },
    {
      name: 'size',
      title: 'Messages',
      isNumber: true,
      sortBy: (item) => Number(item['size'] ?? 0),
      cell: (item) => (item['size'] === -1 ? 'not known' : countText(Number(item['size'] ?? 0))),
    },
  ];
  return (
    <Loaded resource={stores}>
      {({ list }) =>
        list.length === 0 ? (
          <Empty snippet={'<messageStore xmlns="http://ws.apache.org/ns/synapse" name="Pending"/>'}>
            No message store is deployed here. One that keeps messages in memory:
          </Empty>
        ) : (
          <DataTable
            label="Message stores"
            columns={columns}
            rows={list}
            rowKey={nameOf}
            onOpen={(item) => setSearch('store', nameOf(item), { replace: false })}
          />
        )
      }
    </Loaded>
  );
}

interface StoredItem {
  readonly number: number;
  readonly id: string;
  readonly contentType: string;
  readonly characters: number;
  readonly excerpt: string;
  readonly error?: string;
}

interface StoredPage extends ListOf<StoredItem> {
  readonly size: number;
  readonly reach: number;
}

const pageSize = 50;

const storedColumns: readonly Column<StoredItem>[] = [
  { name: 'number', title: 'Number', isNumber: true, cell: ({ number }) => number },
  { name: 'type', title: 'Content type', cell: ({ contentType }) => contentType || '–' },
  { name: 'size', title: 'Payload', isNumber: true, cell: ({ characters }) => sizeText(characters) },
  { name: 'excerpt', title: 'Begins with', cell: ({ excerpt }) => <code className="clip">{excerpt}</code> },
  {
    name: 'error',
    title: 'Failed with',
    cell: ({ error }) => (error === undefined ? '' : <span className="clip bad-text">{error}</span>),
  },
];

/** Messages that wait in one store: looked at, put behind the others, removed. */
function Store({ node, store, user }: { node: NodeFacts; store: string; user: User }) {
  const { search } = usePlace();
  const offset = Math.max(0, Number(search.get('offset') ?? 0) || 0);
  const path = `stored-messages/${encodeURIComponent(store)}`;
  const page = useResource<StoredPage>(
    user.isAdmin ? nodePath(node, `${path}?offset=${offset}&limit=${pageSize}`) : undefined,
    10,
  );
  const [notice, setNotice] = useState<{ text: string; isBad: boolean }>();
  const number = search.get('message');
  const act = (method: string, rest: string): void => {
    const done = (): void => {
      setNotice(undefined);
      setSearch('message', '');
      page.reload();
    };
    void attempt(ask(method, nodePath(node, path + rest)), done, (text) => setNotice({ text, isBad: true }));
  };
  if (!user.isAdmin) return <Empty>Messages may hold anything: only administrators look into a store.</Empty>;
  if (page.error instanceof ApiError && page.error.status === 404 && !page.data) {
    return (
      <Empty>
        This runtime lets nobody look into {store}, or has no such store. <Link to="/messages">All stores</Link>
      </Empty>
    );
  }
  return (
    <>
      <p className="crumbs">
        <Link to="/messages">Message stores</Link> / <strong>{store}</strong>{' '}
        <Link to={artifactPath({ group: node.group, kind: 'messageStore', name: store })}>its definition</Link>
      </p>
      {notice && (
        <div className="note bad" role="alert">
          {notice.text}
        </div>
      )}
      <Loaded resource={page}>
        {({ list, size, reach }) =>
          size === 0 ? (
            <Empty>No message waits in {store}.</Empty>
          ) : (
            <>
              <div className="bar">
                <span role="status">
                  {list.length === 0 ? 'none' : `${offset + 1} to ${offset + list.length}`} of {countText(size)}
                </span>
                <button
                  disabled={offset === 0}
                  onClick={() => setSearch('offset', String(Math.max(0, offset - pageSize)))}
                >
                  Before
                </button>
                <button
                  disabled={offset + list.length >= Math.min(size, reach)}
                  onClick={() => setSearch('offset', String(offset + pageSize))}
                >
                  After
                </button>
                {size > reach && <span className="quiet">The first {countText(reach)} can be looked at.</span>}
                <Confirmed
                  title="Remove all messages"
                  consequence={`${countText(size)} messages of ${store} on ${node.id} are lost.`}
                  word={store}
                  onConfirm={() => act('DELETE', '')}
                />
              </div>
              <div className={number === null ? '' : 'split'}>
                <DataTable
                  label={`Messages in ${store}`}
                  columns={storedColumns}
                  rows={list}
                  rowKey={(item) => String(item.number)}
                  onOpen={(item) => setSearch('message', String(item.number))}
                  onPeek={(item) => setSearch('message', String(item.number))}
                  onPick={(item) => setSearch('message', String(item.number))}
                />
                {number !== null && (
                  <aside aria-label="Message">
                    <StoredMessage key={number} path={nodePath(node, `${path}/${number}`)} number={number}>
                      <button onClick={() => act('POST', `/${number}/requeue`)}>Put behind the others</button>
                      <Confirmed
                        title="Remove message"
                        consequence={`Message ${number} is lost.`}
                        onConfirm={() => act('DELETE', `/${number}`)}
                      />
                      <button onClick={() => setSearch('message', '')}>Close</button>
                    </StoredMessage>
                  </aside>
                )}
              </div>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function StoredMessage(props: { path: string; number: string; children: ReactNode }) {
  const { path, number, children } = props;
  const message = useResource<{ id: string; parts: Readonly<Record<string, string>> }>(path, 3600);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setSearch('message', '');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <h2 className="first">Message {number}</h2>
      <div className="bar">{children}</div>
      <Loaded resource={message}>
        {({ id, parts: { payload = '', ...parts } }) => (
          <>
            {payload === '' ? <p className="quiet">It has no payload.</p> : <pre tabIndex={0}>{pretty(payload)}</pre>}
            <h2>Headers, properties and variables</h2>
            <Facts rows={[['Identity', <code key="id">{id}</code>], ...Object.entries(parts)]} />
          </>
        )}
      </Loaded>
    </>
  );
}

const runningColumns: readonly Column<ArtifactRow>[] = [
  {
    name: 'name',
    title: 'Name',
    sortBy: ({ name }) => name,
    cell: (row) => <Link to={artifactPath(row)}>{row.name}</Link>,
  },
  { name: 'kind', title: 'Kind', sortBy: ({ kind }) => kind, cell: ({ kind }) => kind },
  { name: 'state', title: 'State', sortBy: ({ state }) => state ?? '', cell: ({ state }) => <State word={state} /> },
  { name: 'nodes', title: 'Nodes', isNumber: true, cell: ({ nodes, of }) => `${nodes}/${of}` },
];

function Running() {
  const group = usePlace().search.get('group');
  const scope = group === null ? '' : `&group=${encodeURIComponent(group)}`;
  const processors = useResource<ListOf<ArtifactRow>>(`/artifacts?limit=1000&kind=messageProcessor${scope}`);
  const tasks = useResource<ListOf<ArtifactRow>>(`/artifacts?limit=1000&kind=task${scope}`);
  return (
    <Loaded resource={processors}>
      {(found) => {
        const rows = [...found.list, ...(tasks.data?.list ?? [])];
        return rows.length === 0 ? (
          <Empty>Neither message processors nor tasks are deployed.</Empty>
        ) : (
          <DataTable label="Processors and tasks" columns={runningColumns} rows={rows} rowKey={artifactPath} />
        );
      }}
    </Loaded>
  );
}
