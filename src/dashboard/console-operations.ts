import { defineOperation, pageOf, pagingFields, RestError, type Operation } from '#rest';
import { messageOf } from '#errors';
import type { Connections } from './connections.ts';
import { createDependencies } from './dependencies.ts';
import { createDrift } from './drift.ts';
import { encodeEvents } from './event-stream.ts';
import type { GroupArtifact, GroupIndex } from './group-index.ts';
import { jsonOf } from './http-caller.ts';
import { asRecord, asText } from './json-shape.ts';
import { actionBody, artifactKinds, findKind, type ArtifactAction } from './kinds.ts';
import { failureOf, nodeOf } from './live-operations.ts';
import type { NodeReader } from './reader.ts';
import type { Registry, RuntimeNode } from './registry.ts';

export interface ConsoleParts {
  readonly registry: Registry;
  readonly index: GroupIndex;
  readonly reader: NodeReader;
  readonly connections: Connections;
  /** Sessions and other streams end when this does. */
  readonly stopped: AbortSignal;
}

const sortable = ['kind', 'name', 'group', 'state', 'nodes', 'summary'] as const;

/** The console's API over what was read: none of these lists calls a node. */
export function consoleOperations(parts: ConsoleParts): readonly Operation[] {
  const { registry, index, reader, connections } = parts;
  const dependencies = createDependencies(registry);
  const drift = createDrift(registry);
  const show = (node: RuntimeNode): Readonly<Record<string, unknown>> => ({
    ...showNode(registry, node),
    drift: drift(node)?.length,
  });
  return [
    defineOperation({
      id: 'listNodes',
      method: 'GET',
      path: '/nodes',
      summary: 'Every runtime that reports, with its health',
      responses: { 200: { description: 'Nodes by group' } },
      scope: 'view',
      handle: ({ query }) => {
        const group = textOf(query['group']);
        return { list: registry.nodes(group).map(show) };
      },
    }),
    defineOperation({
      id: 'readNode',
      method: 'GET',
      path: '/nodes/{group}/{node}',
      summary: 'One runtime',
      responses: { 200: { description: 'The node' } },
      scope: 'view',
      handle: ({ path }) => {
        const node = nodeOf(registry, path);
        return { ...show(node), server: node.server, drifting: (drift(node) ?? []).slice(0, driftShown) };
      },
    }),
    defineOperation({
      id: 'approveNode',
      method: 'POST',
      path: '/nodes/{group}/{node}/approval',
      summary: 'Lets the dashboard sign in to a runtime; its certificate is remembered',
      responses: { 200: { description: 'The node' } },
      scope: 'administer',
      handle: ({ path, principal }) => {
        const node = nodeOf(registry, path);
        reader.approve(node, principal?.name ?? '');
        return showNode(registry, nodeOf(registry, path));
      },
    }),
    defineOperation({
      id: 'forgetNode',
      method: 'DELETE',
      path: '/nodes/{group}/{node}',
      summary: 'Removes a runtime from the list until it reports again',
      responses: { 204: { description: 'It is gone' } },
      scope: 'administer',
      handle: ({ path }) => {
        const node = nodeOf(registry, path);
        registry.forget(node.group, node.id);
      },
    }),
    defineOperation({
      id: 'refreshNode',
      method: 'POST',
      path: '/nodes/{group}/{node}/refresh',
      summary: 'Reads a runtime now',
      responses: { 200: { description: 'The node' } },
      scope: 'operate',
      async handle({ path }) {
        await reader.refresh(nodeOf(registry, path));
        return showNode(registry, nodeOf(registry, path));
      },
    }),
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
        const filtered = index.list(query.group).filter((artifact) => fits(artifact, query));
        const sorted = query.sort === 'kind' ? filtered : filtered.toSorted(orderBy(query.sort));
        const items = sorted.slice(query.offset, query.offset + query.limit);
        return { ...pageOf({ items, total: sorted.length }, query, url), counts: index.counts(query.group) };
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
      id: 'changeArtifact',
      method: 'POST',
      path: '/actions/{group}/{kind}/{name+}',
      summary: 'Activates, deactivates, triggers, traces or counts an artifact on some or all nodes of a group',
      body: (z) => z.object({ action: z.string(), nodes: z.array(z.string()).optional() }),
      responses: { 200: { description: 'The result of each node' } },
      scope: 'operate',
      async handle({ path, body }) {
        const kind = findKind(path['kind'] ?? '');
        const action = kind?.actions.find((each) => each === body.action);
        if (!kind || !action) {
          const possible = kind?.actions.join(', ') || 'none';
          throw new RestError({
            code: 'MR_DASHBOARD_ACTION',
            status: 400,
            message: `${path['kind']} cannot do ${body.action}; possible: ${possible}`,
          });
        }
        const holders = index
          .holders(path['group'] ?? '', kind.kind, path['name'] ?? '')
          .filter(({ node }) => body.nodes === undefined || body.nodes.includes(node.id));
        if (holders.length === 0) throw noArtifact(parts, path);
        const results = await Promise.all(
          holders.map(async ({ node }) => ({
            node: node.id,
            ...(await act(connections, node, { kind: kind.path, body: actionBody(kind, path['name'] ?? '', action) })),
          })),
        );
        await Promise.all(holders.map(({ node }) => reader.refresh(node)));
        return { action: action satisfies ArtifactAction, results };
      },
    }),
    defineOperation({
      id: 'listKinds',
      method: 'GET',
      path: '/kinds',
      summary: 'Kinds of artifacts with what can be done to them, and how many there are',
      responses: { 200: { description: 'Kinds' } },
      scope: 'view',
      handle: ({ query }) => {
        const counts = index.counts(textOf(query['group']));
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
    defineOperation({
      id: 'listEvents',
      method: 'GET',
      path: '/history',
      summary: 'What happened to nodes and artifacts lately',
      responses: { 200: { description: 'Events, newest first' } },
      scope: 'view',
      handle: () => ({ list: registry.history.toReversed() }),
    }),
    defineOperation({
      id: 'followEvents',
      method: 'GET',
      path: '/events',
      summary: 'What happens to nodes and artifacts, as server-sent events',
      responses: { 200: { description: 'A stream', type: 'text/event-stream' } },
      scope: 'view',
      handle: ({ request }) => encodeEvents(registry, AbortSignal.any([request.signal, parts.stopped])),
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

/** Artifacts of one node that run otherwise than in its group, in one answer. */
const driftShown = 500;

/** A node as the console shows it. */
function showNode(registry: Registry, node: RuntimeNode): Readonly<Record<string, unknown>> {
  const { group, id, product, managementUrl, interval, since, lastBeat, trust, problem, readAt, artifacts, server } =
    node;
  return {
    group,
    id,
    product,
    managementUrl,
    interval,
    since,
    lastBeat,
    trust,
    problem,
    readAt,
    health: registry.health(node),
    artifacts: artifacts.length,
    version: server['productVersion'],
  };
}

function showArtifact(parts: ConsoleParts, path: Readonly<Record<string, string>>): unknown {
  const { group = '', kind = '', name = '' } = path;
  const holders = parts.index.holders(group, kind, name);
  const first = holders[0];
  if (!first) throw noArtifact(parts, path);
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

function noArtifact(
  { index }: ConsoleParts,
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

async function act(
  connections: Connections,
  node: RuntimeNode,
  { kind, body }: { readonly kind: string; readonly body: Readonly<Record<string, string>> },
): Promise<{ readonly ok: boolean; readonly message: string }> {
  try {
    const client = await connections.client(node.managementUrl);
    const answer = await client.call(kind, {
      method: 'POST',
      headers: ['Content-Type', 'application/json'],
      body: JSON.stringify(body),
    });
    const said = asRecord(jsonOf(answer));
    // Some refusals of the original come with status 200 (management 1.4).
    if (answer.status >= 400 || said['Error'] !== undefined) {
      return { ok: false, message: failureOf(answer.status, said).message };
    }
    return { ok: true, message: asText(said['Message']) ?? asText(said['message']) ?? '' };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
