import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError, ask, attempt, nodePath, useResource, type ListOf, type NodeFacts, type User } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { Confirmed } from '../confirmed.tsx';
import { DataTable, type Column } from '../data-table.tsx';
import { Link, setSearch, usePlace } from '../location.tsx';
import { Pager } from '../pager.tsx';
import { Empty, Facts, Loaded, countText, sizeText } from '../parts.tsx';
import { pretty } from '../trace-model.ts';

interface StoredItem {
  readonly number: number;
  readonly id: string;
  readonly contentType: string;
  readonly characters: number;
  readonly excerpt: string;
  readonly error?: string;
}

interface StoredPage extends ListOf<StoredItem> {
  /** -1 where nobody can know. */
  readonly size: number;
  /** The cursor of the page after this one. */
  readonly next?: string;
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
export function StoredMessages({ node, store, user }: { node: NodeFacts; store: string; user: User }) {
  const { search } = usePlace();
  const cursor = search.get('cursor') ?? '';
  const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const path = `stored-messages/${encodeURIComponent(store)}`;
  const page = useResource<StoredPage>(
    user.isAdmin ? nodePath(node, `${path}?limit=${pageSize}${after}`) : undefined,
    10,
  );
  // The page before stays until the next one is there, and the keyboard stays in its table.
  const last = useRef(page.data);
  last.current = page.data ?? last.current;
  const [notice, setNotice] = useState<{ text: string; isBad: boolean }>();
  const number = search.get('message');
  const act = (method: string, rest: string): void => {
    const done = (): void => {
      setNotice(undefined);
      setSearch('message', '');
      if (rest === '') setSearch('cursor', '');
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
        <Link to="/messages">Message stores</Link> /{' '}
        <Link to={`/messages?store=${encodeURIComponent(store)}`}>{store}</Link>
        {' · '}
        <Link to={artifactPath({ group: node.group, kind: 'messageStore', name: store })}>its definition</Link>
      </p>
      {notice && (
        <div className="note bad" role="alert">
          {notice.text}
        </div>
      )}
      <Loaded resource={{ ...page, data: last.current, isLoading: page.isLoading && last.current === undefined }}>
        {({ list, size, next }) =>
          list.length === 0 && cursor === '' ? (
            <Empty>No message waits in {store}.</Empty>
          ) : (
            <>
              <div className="bar">
                <span role="status">{shownText(list, size)}</span>
                <Pager next={next} />
                <Confirmed
                  title="Remove all messages"
                  consequence={`${size < 0 ? 'All' : countText(size)} messages of ${store} on ${node.id} are lost.`}
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

/** What of the store is seen: numbers stay with the messages, however many are taken before them. */
function shownText(list: readonly StoredItem[], size: number): string {
  const [first, last] = [list[0], list.at(-1)];
  if (!first || !last) return 'No message waits from here on';
  const shown = first === last ? `Number ${first.number}` : `Numbers ${first.number} to ${last.number}`;
  return size < 0 ? shown : `${shown}, ${countText(size)} in all`;
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
