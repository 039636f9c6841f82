import { useResource, type ListOf, type NodeFacts, type Resource } from './api.ts';
import { setSearch, usePlace, useScope } from './location.tsx';
import { isInScope } from './scope.ts';

/** The node that a page of one node's things looks at: that which `on` names, else the first that can be asked. */
export function useChosenNode(): { readonly node: NodeFacts | undefined; readonly nodes: Resource<ListOf<NodeFacts>> } {
  const { search } = usePlace();
  const scope = useScope();
  const nodes = useResource<ListOf<NodeFacts>>('/nodes');
  const inScope = nodes.data?.list.filter((node) => isInScope(scope, node));
  const list = (inScope ?? []).filter(({ trust, health }) => trust === 'approved' && health !== 'lost');
  return {
    node: list.find(({ group, id }) => keyOf({ group, id }) === search.get('on')) ?? list[0],
    nodes: { ...nodes, data: inScope && { list: inScope } },
  };
}

/** Chooses the node. */
export function NodeChoice({ node, nodes }: { node: NodeFacts | undefined; nodes: readonly NodeFacts[] }) {
  return (
    <select aria-label="Node" value={node ? keyOf(node) : ''} onChange={(event) => setSearch('on', event.target.value)}>
      {nodes.map(({ group, id }) => (
        <option key={keyOf({ group, id })} value={keyOf({ group, id })}>
          {group} / {id}
        </option>
      ))}
    </select>
  );
}

function keyOf({ group, id }: Pick<NodeFacts, 'group' | 'id'>): string {
  return `${group}/${id}`;
}
