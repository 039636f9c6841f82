/** Nodes that did not answer: only their part of a list is missing. */
export function SilentNodes({ nodes }: { nodes: readonly SilentNode[] | undefined }) {
  return nodes?.map(({ group, node, reason }) => (
    <div key={`${group} ${node}`} className="note" role="status">
      {group} / {node} did not say: {reason}
    </div>
  ));
}

/** A runtime that did not answer, and why. */
export interface SilentNode {
  readonly group: string;
  readonly node: string;
  readonly reason: string;
}
