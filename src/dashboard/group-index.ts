import type { NodeArtifact } from './contents.ts';
import type { Registry, RuntimeNode } from './registry.ts';

/** An artifact of a group, over all nodes that have it. */
export interface GroupArtifact {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** The same on all nodes, else `mixed`; undefined for kinds without a state. */
  readonly state: string | undefined;
  /** Nodes that have it, of those that were read. */
  readonly nodes: number;
  readonly of: number;
  /** True when nodes run different versions of it, or some do not have it. */
  readonly hasDrift: boolean;
  readonly isTraced: boolean;
  readonly hasStatistics: boolean;
  /** What tells it apart in a list: context, protocol, type. */
  readonly summary: string;
}

/** The artifacts of all groups, made from what was read; asking it calls no node. */
export interface GroupIndex {
  /** @param nodes names of the nodes that count; all when absent */
  list(group: string | undefined, nodes?: readonly string[]): readonly GroupArtifact[];
  counts(group: string | undefined, nodes?: readonly string[]): Readonly<Record<string, number>>;
  /** The nodes that have an artifact, each with its own version of it. */
  holders(
    group: string,
    kind: string,
    name: string,
  ): readonly { readonly node: RuntimeNode; readonly artifact: NodeArtifact }[];
}

/** Makes an index over a registry; a group is merged again only after it changed. */
export function createGroupIndex(registry: Registry): GroupIndex {
  const merged = new Map<string, { readonly version: number; readonly list: readonly GroupArtifact[] }>();
  const listOf = (group: string): readonly GroupArtifact[] => {
    const version = registry.version(group);
    const present = merged.get(group);
    if (present?.version === version) return present.list;
    const list = merge(group, registry.nodes(group));
    merged.set(group, { version, list });
    return list;
  };
  const list = (group: string | undefined, nodes?: readonly string[]): readonly GroupArtifact[] => {
    const groups = group === undefined ? registry.groups() : [group];
    if (nodes === undefined) return groups.flatMap(listOf);
    const chosen = new Set(nodes);
    return groups.flatMap((name) =>
      merge(
        name,
        registry.nodes(name).filter(({ id }) => chosen.has(id)),
      ),
    );
  };
  return {
    list,
    counts(group, nodes) {
      const counts: Record<string, number> = {};
      for (const { kind } of list(group, nodes)) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    },
    holders: (group, kind, name) =>
      registry.nodes(group).flatMap((node) => {
        const artifact = node.artifacts.find((each) => each.kind === kind && each.name === name);
        return artifact ? [{ node, artifact }] : [];
      }),
  };
}

function merge(group: string, nodes: readonly RuntimeNode[]): readonly GroupArtifact[] {
  const read = nodes.filter(({ artifacts }) => artifacts.length > 0);
  const found = new Map<string, NodeArtifact[]>();
  for (const { artifacts } of read) {
    for (const artifact of artifacts) {
      const key = `${artifact.kind}:${artifact.name}`;
      const list = found.get(key);
      if (list) list.push(artifact);
      else found.set(key, [artifact]);
    }
  }
  return [...found.values()]
    .flatMap((list) => {
      const first = list[0];
      if (!first) return [];
      const states = new Set(list.map(({ state }) => state));
      return [
        {
          group,
          kind: first.kind,
          name: first.name,
          state: states.size === 1 ? first.state : 'mixed',
          nodes: list.length,
          of: read.length,
          hasDrift: list.length !== read.length || list.some(({ hash }) => hash !== first.hash),
          isTraced: list.some(({ isTraced }) => isTraced),
          hasStatistics: list.some(({ hasStatistics }) => hasStatistics),
          summary: summaryOf(first),
        },
      ];
    })
    .toSorted((left, right) => compare(left.kind, right.kind) || compare(left.name, right.name));
}

/** By code units: a thousand collations take longer than the rest of a list. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

const telling = [
  'about',
  'context',
  'protocol',
  'taskGroup',
  'messageStore',
  'type',
  'version',
  'serviceDescription',
  'url',
  'description',
];

function summaryOf({ detail }: NodeArtifact): string {
  for (const member of telling) {
    const value = detail[member];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
