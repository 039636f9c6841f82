import { ApiError, nodePath, useResource, type NodeFacts, type User } from '../api.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { setSearch, usePlace } from '../location.tsx';
import { OfNode } from '../of-node.tsx';
import { Empty, Loaded, valueText } from '../parts.tsx';

interface Value {
  readonly path: string;
  readonly value: unknown;
  readonly source: string;
}

const columns: readonly Column<Value>[] = [
  { name: 'path', title: 'Key', sortBy: ({ path }) => path, cell: ({ path }) => <code>{path}</code> },
  { name: 'value', title: 'Value', cell: ({ value }) => <code className="clip">{valueText(value)}</code> },
  { name: 'source', title: 'Origin', sortBy: ({ source }) => source, cell: ({ source }) => source },
];

export function ConfigurationPage({ user }: { user: User }) {
  return (
    <OfNode title="Configuration">
      {(node) => (user.isAdmin ? <Values node={node} /> : <Empty>Only administrators see the configuration.</Empty>)}
    </OfNode>
  );
}

function Values({ node }: { node: NodeFacts }) {
  const { search } = usePlace();
  const word = (search.get('q') ?? '').toLowerCase();
  const isWritten = search.get('written') === 'true';
  const values = useResource<{ file: string; values: readonly Value[] }>(nodePath(node, 'configuration'), 60);
  if (values.error instanceof ApiError && values.error.status === 404) {
    return (
      <Empty snippet="bin/millrace config show --effective">
        This runtime does not tell its configuration. On its machine:
      </Empty>
    );
  }
  return (
    <Loaded resource={values}>
      {({ file, values: all }) => {
        const rows = all
          .filter(({ source }) => !isWritten || source !== 'default')
          .filter(({ path, value }) => `${path} ${valueText(value)}`.toLowerCase().includes(word));
        return (
          <>
            <div className="bar">
              <input
                type="search"
                placeholder="Filter keys and values"
                aria-label="Filter keys and values"
                value={search.get('q') ?? ''}
                onChange={(event) => setSearch('q', event.target.value)}
              />
              <button
                className="chip"
                aria-pressed={isWritten}
                onClick={() => setSearch('written', isWritten ? '' : 'true')}
              >
                Not defaults
              </button>
              <span className="quiet">
                {rows.length} of {all.length}, <code>{file}</code>
              </span>
            </div>
            <DataTable label="Configuration" columns={columns} rows={rows} rowKey={({ path }) => path} />
          </>
        );
      }}
    </Loaded>
  );
}
