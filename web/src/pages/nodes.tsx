import { useState } from 'react';
import { ask, nodePath, useResource, type ListOf, type NodeFacts, type User } from '../api.ts';
import { DataTable, type Column } from '../data-table.tsx';
import { heartbeatLines } from '../heartbeat-lines.ts';
import { Link, navigate, usePlace } from '../location.tsx';
import { Ago, Empty, Loaded, State, Title, valueText } from '../parts.tsx';

const pathOf = ({ group, id }: NodeFacts): string => `/nodes/${encodeURIComponent(group)}/${encodeURIComponent(id)}`;

const columns: readonly Column<NodeFacts>[] = [
  { name: 'id', title: 'Node', sortBy: ({ id }) => id, cell: (node) => <Link to={pathOf(node)}>{node.id}</Link> },
  { name: 'group', title: 'Group', sortBy: ({ group }) => group, cell: ({ group }) => group },
  { name: 'health', title: 'Health', sortBy: ({ health }) => health, cell: ({ health }) => <State word={health} /> },
  { name: 'trust', title: 'Trust', sortBy: ({ trust }) => trust, cell: ({ trust }) => <State word={trust} /> },
  {
    name: 'beat',
    title: 'Last heartbeat',
    sortBy: ({ lastBeat }) => -lastBeat,
    cell: ({ lastBeat }) => <Ago at={lastBeat} />,
  },
  {
    name: 'artifacts',
    title: 'Artifacts',
    isNumber: true,
    sortBy: ({ artifacts }) => artifacts,
    cell: ({ artifacts }) => artifacts,
  },
  {
    name: 'drift',
    title: 'Against its group',
    sortBy: ({ drift }) => drift ?? -1,
    cell: ({ drift }) =>
      drift === undefined ? (
        '–'
      ) : (
        <State word={drift === 0 ? 'same' : `${drift} different`} tone={drift === 0 ? 'ok' : 'warn'} />
      ),
  },
  { name: 'version', title: 'Version', cell: ({ version }) => valueText(version) },
  { name: 'problem', title: 'Problem', cell: ({ problem }) => <span className="clip">{problem}</span> },
];

export function NodesPage({ user }: { user: User }) {
  const group = usePlace().search.get('group');
  const nodes = useResource<ListOf<NodeFacts>>(
    `/nodes${group === null ? '' : `?group=${encodeURIComponent(group)}`}`,
    5,
  );
  return (
    <>
      <Title title="Nodes" />
      <Loaded resource={nodes}>
        {({ list }) =>
          list.length === 0 ? (
            <Empty snippet={heartbeatLines}>
              No runtime reports here yet. Add this to the runtime's deployment.toml:
            </Empty>
          ) : (
            <>
              {list
                .filter(({ trust, health }) => trust !== 'approved' && health !== 'lost')
                .map((node) => (
                  <Waiting key={pathOf(node)} node={node} user={user} onDone={nodes.reload} />
                ))}
              <DataTable
                label="Nodes"
                columns={columns}
                rows={list}
                rowKey={pathOf}
                onOpen={(node) => navigate(pathOf(node))}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** A runtime to which no password goes before an administrator says so. */
function Waiting({ node, user, onDone }: { node: NodeFacts; user: User; onDone: () => void }) {
  const [problem, setProblem] = useState<string>();
  return (
    <div className="note">
      <strong>{node.id}</strong> at <code>{node.managementUrl}</code>{' '}
      {node.trust === 'waiting' ? 'waits for approval: nothing is sent to it before.' : `was refused: ${node.problem}.`}{' '}
      {user.isAdmin ? (
        <button
          onClick={() => {
            ask('POST', nodePath(node, 'approval')).then(onDone, (error: Error) => setProblem(error.message));
          }}
        >
          Approve {node.id}
        </button>
      ) : (
        'An administrator can approve it.'
      )}
      {problem}
    </div>
  );
}
