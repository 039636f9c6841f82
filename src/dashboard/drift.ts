import type { Registry, RuntimeNode } from './registry.ts';

/** How an artifact of one node is not what most nodes of its group run. */
export interface Drift {
  readonly kind: string;
  readonly name: string;
  readonly how: 'different' | 'missing' | 'additional';
}

/**
 * What each node runs against what most nodes of the group run: of versions that are equally frequent, that of the node
 * that was first in the list counts. Nodes that were not read are left out.
 */
export function driftOf(nodes: readonly RuntimeNode[]): ReadonlyMap<string, readonly Drift[]> {
  const read = nodes.filter(({ readAt, artifacts }) => readAt !== undefined && artifacts.length > 0);
  const versions = new Map<string, Map<string, number>>();
  for (const { artifacts } of read) {
    for (const { kind, name, hash } of artifacts) {
      const key = JSON.stringify([kind, name]);
      const counts = versions.get(key) ?? new Map<string, number>();
      versions.set(key, counts.set(hash, (counts.get(hash) ?? 0) + 1));
    }
  }
  const usual = [...versions].map(([key, counts]) => {
    const holders = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const [hash] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most));
    const [kind, name] = JSON.parse(key) as [string, string];
    // An artifact that fewer than half of the nodes have is theirs, and nothing that the others miss.
    return { kind, name, hash, isUsual: holders * 2 >= read.length };
  });
  return new Map(
    read.map((node) => {
      const own = new Map(node.artifacts.map(({ kind, name, hash }) => [JSON.stringify([kind, name]), hash]));
      const drift = usual.flatMap(({ kind, name, hash, isUsual }): Drift[] => {
        const has = own.get(JSON.stringify([kind, name]));
        if (has === undefined) return isUsual ? [{ kind, name, how: 'missing' }] : [];
        if (!isUsual) return [{ kind, name, how: 'additional' }];
        return has === hash ? [] : [{ kind, name, how: 'different' }];
      });
      return [node.id, drift];
    }),
  );
}

/** Answers what a node runs otherwise than its group; undefined for one that was not read. */
export function createDrift(registry: Registry): (node: RuntimeNode) => readonly Drift[] | undefined {
  const known = new Map<string, { readonly version: number; readonly drift: ReturnType<typeof driftOf> }>();
  return ({ group, id }) => {
    const version = registry.version(group);
    const present = known.get(group);
    if (present?.version === version) return present.drift.get(id);
    const drift = driftOf(registry.nodes(group));
    known.set(group, { version, drift });
    return drift.get(id);
  };
}
