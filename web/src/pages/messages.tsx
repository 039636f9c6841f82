import { useResource, type ArtifactRow, type ListOf } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { nodePath, type NodeFacts } from '../api.ts';
import { Link, usePlace } from '../location.tsx';
import { OfNode } from '../of-node.tsx';
import { Empty, Loaded, State, valueText } from '../parts.tsx';

type Item = Readonly<Record<string, unknown>>;

export function MessagesPage() {
  return (
    <OfNode title="Messages">
      {(node) => (
        <>
          <h2>Message stores</h2>
          <Stores node={node} />
          <h2>Message processors and tasks</h2>
          <Running />
        </>
      )}
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
      cell: (item) => (
        <Link to={artifactPath({ group: node.group, kind: 'messageStore', name: nameOf(item) })}>{nameOf(item)}</Link>
      ),
    },
    { name: 'type', title: 'Type', sortBy: (item) => valueText(item['type']), cell: (item) => valueText(item['type']) },
    {
      name: 'size',
      title: 'Messages',
      isNumber: true,
      sortBy: (item) => Number(item['size'] ?? 0),
      cell: (item) => (item['size'] === -1 ? 'not known' : valueText(item['size'])),
    },
  ];
  return (
    <Loaded resource={stores}>
      {({ list }) =>
        list.length === 0 ? (
          <Empty>No message store is deployed here.</Empty>
        ) : (
          <DataTable label="Message stores" columns={columns} rows={list} rowKey={nameOf} />
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
  const rows = [...(processors.data?.list ?? []), ...(tasks.data?.list ?? [])];
  return rows.length === 0 ? (
    <Empty>Neither message processors nor tasks are deployed.</Empty>
  ) : (
    <DataTable label="Processors and tasks" columns={runningColumns} rows={rows} rowKey={artifactPath} />
  );
}
