import { useEffect, useState } from 'react';
import { ask, nodePath, type ListOf, type NodeFacts } from './api.ts';
import { keepLoading } from './live.tsx';

export type NodeName = Pick<NodeFacts, 'group' | 'id'>;

/** An entry of a list, and the node that has it. */
export interface Listed<Item> {
  readonly node: NodeName;
  readonly item: Item;
}

/**
 * The same list of several nodes, such as `traces?artifact=api:a`, as one; undefined until all have answered. Nodes
 * that have no such list, such as runtimes of the original, add nothing: pages say elsewhere which nodes are away.
 *
 * @param seconds after which the nodes are asked again; never when undefined
 */
export function useListsOfNodes<Item>(
  nodes: readonly NodeName[],
  path: string,
  seconds?: number,
): readonly Listed<Item>[] | undefined {
  const [found, setFound] = useState<readonly Listed<Item>[]>();
  const key = JSON.stringify([path, nodes.map(({ group, id }) => [group, id])]);
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      const lists = await Promise.all(nodes.map((node) => listOf<Item>(node, path)));
      if (!isOver) setFound(lists.flat());
    };
    void load();
    const stop = seconds === undefined ? undefined : keepLoading(() => void load(), seconds);
    return () => {
      isOver = true;
      stop?.();
    };
  }, [key]);
  return found;
}

async function listOf<Item>(node: NodeName, path: string): Promise<readonly Listed<Item>[]> {
  try {
    const { list } = (await ask('GET', nodePath(node, path))) as ListOf<Item>;
    return list.map((item) => ({ node, item }));
  } catch {
    return [];
  }
}
