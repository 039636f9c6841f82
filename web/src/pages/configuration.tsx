import { ApiError, nodePath, useResource, type NodeFacts, type User } from '../api.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { setSearch, usePlace } from '../location.tsx';
import { OfNode } from '../of-node.tsx';
import { CopyButton, Empty, Facts, Loaded, State, countText, valueText } from '../parts.tsx';

/** A value as the runtime tells it. */
interface Value {
  readonly path: string;
  readonly value: unknown;
  readonly source: string;
  readonly kind?: string;
  readonly doc?: string;
  readonly effect?: string;
  readonly status?: string;
}

interface Configuration {
  readonly file: string;
  readonly coverage?: Readonly<Record<'total' | 'honoured' | 'inert' | 'pending', number>>;
  readonly values: readonly Value[];
}

const columns: readonly Column<Value>[] = [
  { name: 'path', title: 'Key', sortBy: ({ path }) => path, cell: ({ path }) => <code>{path}</code> },
  { name: 'value', title: 'Value', cell: ({ value }) => <code className="clip">{valueText(value)}</code> },
  { name: 'source', title: 'Origin', sortBy: ({ source }) => source, cell: ({ source }) => source },
  {
    name: 'status',
    title: 'Status',
    sortBy: ({ status }) => status ?? '',
    cell: ({ status }) =>
      status === undefined ? (
        ''
      ) : (
        <State word={status} tone={status === 'honoured' ? 'ok' : status === 'pending' ? 'warn' : 'off'} />
      ),
  },
];

const filters = [
  {
    name: 'written',
    title: 'Not defaults',
    fits: ({ kind, source }: Value) =>
      kind === 'file' || kind === 'inferred' || (kind === undefined && source !== 'default'),
  },
  { name: 'pending', title: 'Pending', fits: ({ status }: Value) => status === 'pending' },
] as const;

export function ConfigurationPage({ user }: { user: User }) {
  return (
    <OfNode title="Configuration">
      {(node) => (user.isAdmin ? <Values node={node} /> : <Empty>Only administrators see the configuration.</Empty>)}
    </OfNode>
  );
}

function Values({ node }: { node: NodeFacts }) {
  const { search } = usePlace();
  const words = (search.get('q') ?? '').toLowerCase().split(/\s+/);
  const values = useResource<Configuration>(nodePath(node, 'configuration'), 60);
  const picked = search.get('key');
  if (values.error instanceof ApiError && values.error.status === 404) {
    return (
      <Empty snippet="bin/millrace config show --effective">
        This runtime does not tell its configuration. On its machine:
      </Empty>
    );
  }
  return (
    <Loaded resource={values}>
      {({ file, coverage, values: all }) => {
        const rows = filters
          .filter(({ name }) => search.get(name) === 'true')
          .reduce((list, { fits }) => list.filter(fits), all)
          .filter((row) => {
            const text = `${row.path} ${valueText(row.value)}`.toLowerCase();
            return words.every((word) => text.includes(word));
          });
        const one = all.find(({ path }) => path === picked);
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
              {filters.map(({ name, title }) => {
                const isOn = search.get(name) === 'true';
                return (
                  <button
                    key={name}
                    className="chip"
                    aria-pressed={isOn}
                    onClick={() => setSearch(name, isOn ? '' : 'true')}
                  >
                    {title}
                  </button>
                );
              })}
              <span className="quiet" role="status">
                {countText(rows.length)} of {countText(all.length)}
              </span>
              <span className="quiet">
                <code>{file}</code>
                {coverage && ` · ${coverage.honoured} of ${coverage.total} keys honoured, ${coverage.pending} pending`}
              </span>
            </div>
            {rows.length === 0 ? (
              <Empty>No key fits. Take a filter away to see more.</Empty>
            ) : (
              <div className={one ? 'split' : ''}>
                <DataTable
                  label="Configuration"
                  columns={columns}
                  rows={rows}
                  rowKey={({ path }) => path}
                  onOpen={({ path }) => setSearch('key', path)}
                  onPeek={({ path }) => setSearch('key', path)}
                  onPick={({ path }) => setSearch('key', path)}
                />
                {one && <OneValue value={one} />}
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** What a key is for, and what it does here. */
function OneValue({ value }: { value: Value }) {
  const { path, source, doc, effect, status } = value;
  return (
    <aside aria-label="Key">
      <h2 className="first">
        <code>{path}</code>
      </h2>
      {doc !== undefined && <p>{doc}</p>}
      <pre tabIndex={0}>{valueText(value.value)}</pre>
      <Facts
        rows={[
          ['Origin', source],
          ['Effect', effect ?? '–'],
          ['Status', status ?? '–'],
        ]}
      />
      <div className="bar">
        <CopyButton text={`bin/millrace config explain ${path}`} label="Copy as command" />
        <button onClick={() => setSearch('key', '')}>Close</button>
      </div>
    </aside>
  );
}
