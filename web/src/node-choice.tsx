import { useResource, type ListOf, type NodeFacts, type Resource } from './api.ts';
import { setSearch, usePlace } from './location.tsx';

/** The node that a page of one node's things looks at: that of the address, else the first that can be asked. */
export function useChosenNode(): { readonly node: NodeFacts | undefined; readonly nodes: Resource<ListOf<NodeFacts>> } {
  const { search } = usePlace();
  const group = search.get('group');
  const nodes = useResource<ListOf<NodeFacts>>(`/nodes${group === null ? '' : `?group=${encodeURIComponent(group)}`}`);
  const list = (nodes.data?.list ?? []).filter(({ trust, health }) => trust === 'approved' && health !== 'lost');
  return { node: list.find(({ id }) => id === search.get('node')) ?? list[0], nodes };
}

/** Chooses the node. */
export function NodeChoice({ node, nodes }: { node: NodeFacts | undefined; nodes: readonly NodeFacts[] }) {
  return (
    <select aria-label="Node" value={node?.id ?? ''} onChange={(event) => setSearch('node', event.target.value)}>
      {nodes.map(({ group, id }) => (
        <option key={`${group} ${id}`} value={id}>
          {group} / {id}
        </option>
      ))}
    </select>
  );
}
