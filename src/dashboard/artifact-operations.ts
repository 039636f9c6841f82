import { defineOperation, pageOf, pagingFields, RestError, type Operation } from '#rest';
import { nodeNames } from './ask-nodes.ts';
import { createDependencies } from './dependencies.ts';
import type { GroupArtifact, GroupIndex } from './group-index.ts';
import { artifactKinds, findKind } from './kinds.ts';
import type { Registry } from './registry.ts';

export interface ArtifactParts {
  readonly registry: Registry;
  readonly index: GroupIndex;
}

const sortable = ['kind', 'name', 'group', 'state', 'nodes', 'summary'] as const;

/** `/artifacts`, `/kinds` and `/dependencies`: what is deployed, merged over the nodes; none of these calls a node. */
export function artifactOperations(parts: ArtifactParts): readonly Operation[] {
  const { registry, index } = parts;
  const dependencies = createDependencies(registry);
  return [
    defineOperation({
      id: 'listArtifacts',
      method: 'GET',
      path: '/artifacts',
      summary: 'Artifacts of all nodes, merged by group; filtered, sorted, page by page',
      parameters: {
        query: (z) =>
          z.object({
            ...pagingFields(z, 5000),
            group: z.string().optional(),
            node: z.union([z.string(), z.array(z.string())]).optional(),
            kind: z.string().optional(),
            state: z.string().optional(),
            drift: z.enum(['true', 'false']).optional(),
            q: z.string().max(200).optional(),
            sort: z
              .string()
              .regex(new RegExp(`^-?(${sortable.join('|')})$`))
              .default('kind'),
          }),
      },
      responses: { 200: { description: 'A page of artifacts' } },
      scope: 'view',
      handle: ({ query, url }) => {
        const nodes = nodeNames(query);
        const filtered = index.list(query.group, nodes).filter((artifact) => fits(artifact, query));
        const sorted = query.sort === 'kind' ? filtered : filtered.toSorted(orderBy(query.sort));
        const items = sorted.slice(query.offset, query.offset + query.limit);
        return { ...pageOf({ items, total: sorted.length }, query, url), counts: index.counts(query.group, nodes) };
      },
    }),
    defineOperation({
      id: 'readArtifact',
      method: 'GET',
      path: '/artifacts/{group}/{kind}/{name+}',
      summary: 'One artifact with its source and state on each node',
      responses: { 200: { description: 'The artifact' }, 404: { description: 'None of that name; near names' } },
      scope: 'view',
      handle: ({ path }) => showArtifact(parts, path),
    }),
    defineOperation({
      id: 'listKinds',
      method: 'GET',
      path: '/kinds',
      summary: 'Kinds of artifacts with what can be done to them, and how many there are',
      responses: { 200: { description: 'Kinds' } },
      scope: 'view',
      parameters: {
        query: (z) =>
          z.object({
            group: z.string().optional(),
            node: z.union([z.string(), z.array(z.string())]).optional(),
          }),
      },
      handle: ({ query }) => {
        const counts = index.counts(query.group, nodeNames(query));
        const known = artifactKinds.map(({ kind, actions }) => ({ kind, actions, count: counts[kind] ?? 0 }));
        const others = Object.keys(counts).filter((kind) => !findKind(kind));
        return { list: [...known, ...others.map((kind) => ({ kind, actions: [], count: counts[kind] ?? 0 }))] };
      },
    }),
    defineOperation({
      id: 'readDependencies',
      method: 'GET',
      path: '/dependencies/{group}',
      summary: 'Which artifacts of a group name which others in their sources',
      responses: { 200: { description: 'Artifacts, and what each uses' } },
      scope: 'view',
      handle: ({ path }) => dependencies(path['group'] ?? ''),
    }),
  ];
}

interface ArtifactFilter {
  readonly kind?: string | undefined;
  readonly state?: string | undefined;
  readonly drift?: 'true' | 'false' | undefined;
  readonly q?: string | undefined;
}

function fits(artifact: GroupArtifact, { kind, state, drift, q }: ArtifactFilter): boolean {
  if (kind !== undefined && artifact.kind !== kind) return false;
  if (state !== undefined && artifact.state !== state) return false;
  if (drift !== undefined && artifact.hasDrift !== (drift === 'true')) return false;
  if (q === undefined || q === '') return true;
  const words = q.toLowerCase().split(/\s+/);
  const text = `${artifact.kind} ${artifact.name} ${artifact.summary}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function orderBy(sort: string): (left: GroupArtifact, right: GroupArtifact) => number {
  const member = sort.replace(/^-/, '') as (typeof sortable)[number];
  const direction = sort.startsWith('-') ? -1 : 1;
  return (left, right) => {
    const [a, b] = [left[member] ?? '', right[member] ?? ''];
    return direction * (a < b ? -1 : a > b ? 1 : 0);
  };
}

function showArtifact(parts: ArtifactParts, path: Readonly<Record<string, string>>): unknown {
  const { group = '', kind = '', name = '' } = path;
  const holders = parts.index.holders(group, kind, name);
  const first = holders[0];
  if (!first) throw noArtifact(parts.index, path);
  const merged = parts.index.list(group).find((artifact) => artifact.kind === kind && artifact.name === name);
  return {
    ...merged,
    actions: findKind(kind)?.actions ?? [],
    detail: first.artifact.detail,
    on: holders.map(({ node, artifact }) => ({
      node: node.id,
      health: parts.registry.health(node),
      state: artifact.state,
      hash: artifact.hash,
      isTraced: artifact.isTraced,
      hasStatistics: artifact.hasStatistics,
      readAt: node.readAt,
      // Equal sources travel once.
      ...(artifact.hash === first.artifact.hash ? {} : { detail: artifact.detail }),
    })),
  };
}

/** What is said of an artifact that no node of its group has, with near names. */
export function noArtifact(
  index: GroupIndex,
  { group = '', kind = '', name = '' }: Readonly<Record<string, string>>,
): RestError {
  const word = name.toLowerCase().slice(0, 4);
  const near = index
    .list(group)
    .filter((artifact) => artifact.kind === kind && artifact.name.toLowerCase().includes(word))
    .slice(0, 5)
    .map((artifact) => artifact.name);
  return new RestError({
    code: 'MR_DASHBOARD_NO_ARTIFACT',
    status: 404,
    message: `No node of ${group} has the ${kind} ${name}`,
    ...(near.length > 0 ? { description: `Near names: ${near.join(', ')}` } : {}),
  });
}
