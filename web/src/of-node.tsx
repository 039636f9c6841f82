import type { ReactNode } from 'react';
import type { NodeFacts } from './api.ts';
import { Empty, Loaded, Title } from './parts.tsx';
import { NodeChoice, useChosenNode } from './node-choice.tsx';
import { heartbeatLines } from './heartbeat-lines.ts';

/** A page about one node's things: its title, the choice of the node, and what the page shows of it. */
export function OfNode({ title, children }: { title: string; children: (node: NodeFacts) => ReactNode }) {
  const { node, nodes } = useChosenNode();
  return (
    <>
      <Title title={title}>{nodes.data && node && <NodeChoice node={node} nodes={nodes.data.list} />}</Title>
      <Loaded resource={nodes}>
        {() =>
          node ? (
            children(node)
          ) : (
            <Empty snippet={heartbeatLines}>
              No runtime can be asked. One that reports needs this in its deployment.toml:
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}
