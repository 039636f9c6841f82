import { useEffect, useRef, useState } from 'react';
import { useResource, type ArtifactRow, type ListOf } from '../api.ts';
import { artifactPath } from '../artifact-path.ts';
import { BulkActions } from '../bulk-actions.tsx';
import { DataTable, type Column } from '../data-table.tsx';
import { Link, navigate, setSearch, usePlace, useScope } from '../location.tsx';
import { Empty, Facts, Loaded, State, Title } from '../parts.tsx';
import { brokenFiles } from '../problems.ts';
import { scoped } from '../scope.ts';
import { kindTitle } from '../sections.ts';
import { useProblems } from '../use-problems.ts';

interface Page extends ListOf<ArtifactRow> {
  readonly pagination: { readonly total: number };
  readonly counts: Readonly<Record<string, number>>;
}

const columns: readonly Column<ArtifactRow>[] = [
  { name: 'name', title: 'Name', cell: (row) => <Link to={artifactPath(row)}>{row.name}</Link> },
  { name: 'kind', title: 'Kind', cell: ({ kind }) => <span className="mono">{kind}</span> },
  { name: 'group', title: 'Group', cell: ({ group }) => group },
  { name: 'state', title: 'State', cell: ({ state }) => <State word={state} /> },
  {
    name: 'nodes',
    title: 'Nodes',
    isNumber: true,
    cell: ({ nodes, of, hasDrift }) => (
      <>
        {hasDrift && <span className="state warn">drift </span>} {nodes}/{of}
      </>
    ),
  },
  { name: 'summary', title: 'About', cell: ({ summary }) => <span className="clip">{summary}</span> },
];

/** What `about` is of kinds that have a word for it. */
const aboutTitles: Readonly<Record<string, string>> = {
  api: 'Context',
  inboundEndpoint: 'Protocol and sequence',
  dataService: 'Data sources and operations',
  dataSource: 'Type and address',
  endpoint: 'Type',
  task: 'Group',
  messageProcessor: 'Message store',
  messageStore: 'Type',
};

function columnsOf(kind: string | undefined): readonly Column<ArtifactRow>[] {
  if (kind === undefined) return columns;
  return columns
    .filter(({ name }) => name !== 'kind')
    .map((column) => (column.name === 'summary' ? { ...column, title: aboutTitles[kind] ?? column.title } : column));
}

/** What can be chosen, as search parameters of the page. */
const filters = [
  { name: 'state', value: 'inactive', title: 'Inactive' },
  { name: 'state', value: 'faulty', title: 'Faulty' },
  { name: 'drift', value: 'true', title: 'Drift' },
] as const;

export function ArtifactsPage({ kind }: { kind: string | undefined }) {
  const { search } = usePlace();
  const [peeked, peek] = useState<ArtifactRow>();
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const sort = search.get('sort') ?? 'kind';
  const asked = ['q', 'state', 'drift'].map((name) => [name, search.get(name) ?? ''] as const);
  const query = Object.fromEntries([...asked, ['kind', kind ?? '']].filter(([, value]) => value !== ''));
  const page = useResource<Page>(scoped('/artifacts', useScope(), { limit: '5000', sort, ...query }));
  const rows = (page.data?.list ?? []).filter((row) => chosen.has(artifactPath(row)));
  return (
    <>
      <Title title={kind === undefined ? 'Artifacts' : kindTitle(kind)} state={<NotDeployed />}>
        <Link to="/deploy" className="button">
          Deploy an archive
        </Link>
      </Title>
      <div className="bar">
        <input
          type="search"
          placeholder="Filter by name, context, type"
          aria-label="Filter by name, context, type"
          value={search.get('q') ?? ''}
          onChange={(event) => setSearch('q', event.target.value)}
        />
        {filters.map(({ name, value, title }) => {
          const isOn = search.get(name) === value;
          return (
            <button key={title} className="chip" aria-pressed={isOn} onClick={() => setSearch(name, isOn ? '' : value)}>
              {title}
            </button>
          );
        })}
        <span className="quiet" role="status">
          {page.data && `${page.data.list.length} of ${Object.values(page.data.counts).reduce((a, b) => a + b, 0)}`}
        </span>
      </div>
      {rows.length > 0 && <BulkActions chosen={rows} onClear={() => choose(new Set())} onDone={page.reload} />}
      <Loaded resource={page}>
        {({ list, counts }) =>
          list.length > 0 ? (
            <DataTable
              label="Artifacts"
              columns={columnsOf(kind)}
              chosen={chosen}
              onChoose={choose}
              rows={list}
              rowKey={artifactPath}
              sort={sort}
              onSort={(next) => setSearch('sort', next)}
              onOpen={(row) => navigate(artifactPath(row))}
              onPeek={peek}
            />
          ) : Object.keys(counts).length === 0 ? (
            <Empty snippet="bin/millrace run ./my-project">
              Nothing is deployed on a runtime that was read. Deploy a project, an archive or one file:
            </Empty>
          ) : (
            <Empty>Nothing fits what was chosen. Take a filter away to see more.</Empty>
          )
        }
      </Loaded>
      {peeked && <Peek artifact={peeked} onClose={() => peek(undefined)} />}
    </>
  );
}

/** How many files could not be deployed, where some could not. */
function NotDeployed() {
  const problems = useProblems(useScope());
  const count = brokenFiles((problems.data?.list ?? []).filter(({ severity }) => severity === 'error')).length;
  if (count === 0) return null;
  return (
    <Link className="state bad" to="/problems?severity=error">
      {count} {count === 1 ? 'file' : 'files'} could not be deployed
    </Link>
  );
}

/** The essentials of a row, without leaving the list. */
function Peek({ artifact, onClose }: { artifact: ArtifactRow; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="peek" onClose={onClose} aria-labelledby="peek-title">
      <h2 id="peek-title">{artifact.name}</h2>
      <Facts
        rows={[
          ['Kind', artifact.kind],
          ['State', <State key="state" word={artifact.state} />],
          ['Nodes', `${artifact.nodes} of ${artifact.of}${artifact.hasDrift ? ', not the same everywhere' : ''}`],
          ['Traced', artifact.isTraced ? 'yes' : 'no'],
          ['Counted', artifact.hasStatistics ? 'yes' : 'no'],
          ['About', artifact.summary],
        ]}
      />
      <p>
        <Link to={artifactPath(artifact)}>Open</Link> <button onClick={() => dialog.current?.close()}>Close</button>
      </p>
    </dialog>
  );
}
