import { defineOperation, pick, type Operation } from '#rest';
import { createDrift } from './drift.ts';
import { nodeOf } from './live-operations.ts';
import type { NodeReader } from './reader.ts';
import type { Registry, RuntimeNode } from './registry.ts';

/** Artifacts of one node that run otherwise than in its group, in one answer. */
const driftShown = 500;

/** `/nodes`: the runtimes, and whether the dashboard trusts them. */
export function nodeOperations({
  registry,
  reader,
}: {
  readonly registry: Registry;
  readonly reader: NodeReader;
}): readonly Operation[] {
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
      parameters: { query: (z) => z.object({ group: z.string().optional() }) },
      handle: ({ query }) => ({ list: registry.nodes(query.group).map(show) }),
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
      audited: ({ path }) => ({ action: 'enabled', type: 'node', info: pick(path, 'node', 'group') }),
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
      audited: ({ path }) => ({ action: 'deleted', type: 'node', info: pick(path, 'node', 'group') }),
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
      audited: ({ path }) => ({ action: 'triggered', type: 'node', info: pick(path, 'node', 'group') }),
      async handle({ path }) {
        await reader.refresh(nodeOf(registry, path));
        return showNode(registry, nodeOf(registry, path));
      },
    }),
  ];
}

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
