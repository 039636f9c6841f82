import { nodePath, useResource, type ArtifactRow, type ListOf, type NodeFacts, type User } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { Link, setSearch, usePlace } from '../location.tsx';
import { OfNode } from '../of-node.tsx';
import { Empty, Loaded, State, countText, valueText } from '../parts.tsx';
import { StoredMessages } from './stored-messages.tsx';

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
          <StoredMessages key={`${node.id} ${store}`} node={node} store={store} user={user} />
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
