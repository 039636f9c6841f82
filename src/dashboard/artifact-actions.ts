import type { Audit } from '#core';
import { messageOf } from '#errors';
import { defineOperation, pick, RestError, type Operation } from '#rest';
import { auditedAction, verbOf } from './action-audit.ts';
import { noArtifact } from './artifact-operations.ts';
import type { Connections } from './connections.ts';
import type { GroupIndex } from './group-index.ts';
import { jsonOf } from './http-caller.ts';
import { asRecord, asText } from './json-shape.ts';
import { actionBody, findKind, type ArtifactAction, type ArtifactKind } from './kinds.ts';
import { failureOf } from './live-operations.ts';
import type { NodeReader } from './reader.ts';
import type { RuntimeNode } from './registry.ts';

export interface ActionParts {
  readonly index: GroupIndex;
  readonly reader: NodeReader;
  readonly connections: Connections;
  readonly audit: Audit;
}

/** An artifact by its path: `group`, `kind` and `name`. */
type ArtifactPath = Readonly<Record<string, string>>;

interface NamedArtifact {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

interface Wish {
  readonly action: string;
  /** Those of the group that have it when absent. */
  readonly nodes?: readonly string[] | undefined;
}

interface NodeResult {
  readonly node: string;
  readonly ok: boolean;
  readonly message: string;
}

/** Artifacts that one call changes. */
const mostArtifacts = 500;

/** `/actions`: changes artifacts on the runtimes that have them. */
export function actionOperations(parts: ActionParts): readonly Operation[] {
  const { reader, audit } = parts;
  const change = async (path: ArtifactPath, wish: Wish): Promise<Changed> => {
    const changed = await changeArtifact(parts, path, wish);
    await Promise.all(changed.nodes.map((node) => reader.refresh(node)));
    return changed;
  };
  return [
    defineOperation({
      id: 'changeArtifact',
      method: 'POST',
      path: '/actions/{group}/{kind}/{name+}',
      summary: 'Activates, deactivates, triggers, traces or counts an artifact on some or all nodes of a group',
      body: (z) => z.object({ action: z.string(), nodes: z.array(z.string()).optional() }),
      responses: { 200: { description: 'The result of each node' } },
      scope: 'operate',
      audited: ({ path, body }) => {
        const change = auditedAction(path, body?.action);
        return { ...change, info: { ...change.info, ...pick(body, 'nodes') } };
      },
      async handle({ path, body }) {
        const { action, results } = await change(path, body);
        return { action, results };
      },
    }),
    defineOperation({
      id: 'changeArtifacts',
      method: 'POST',
      path: '/actions',
      summary: 'The same with several artifacts: each has a result of its own, whatever becomes of the others',
      body: (z) =>
        z.object({
          action: z.string(),
          artifacts: z
            .array(z.object({ group: z.string(), kind: z.string(), name: z.string() }))
            .min(1)
            .max(mostArtifacts),
        }),
      responses: { 200: { description: 'The result of each artifact, with that of each node' } },
      scope: 'operate',
      audited: ({ body }) => ({
        action: verbOf(body?.action),
        type: 'artifacts',
        info: { count: body?.artifacts.length, ...pick(body, 'action') },
      }),
      async handle({ body, principal, tenant }) {
        const touched = new Map<string, RuntimeNode>();
        const list: (NamedArtifact & { ok: boolean; message?: string; results: readonly NodeResult[] })[] = [];
        // One after the other: a runtime builds its artifacts anew for each change.
        for (const artifact of body.artifacts) {
          try {
            const { nodes, results } = await changeArtifact(parts, { ...artifact }, { action: body.action });
            for (const node of nodes) touched.set(JSON.stringify([node.group, node.id]), node);
            list.push({ ...artifact, ok: results.every(({ ok }) => ok), results });
          } catch (error) {
            list.push({ ...artifact, ok: false, message: messageOf(error), results: [] });
          }
        }
        for (const { group, kind, name, ok } of list) {
          const change = auditedAction({ group, kind, name }, body.action);
          audit.record({
            actor: principal?.name ?? '',
            tenant,
            ...change,
            target: `${change.type}:${name}`,
            outcome: ok ? 'success' : 'failure',
          });
        }
        await Promise.all([...touched.values()].map((node) => reader.refresh(node)));
        return { action: body.action, list };
      },
    }),
  ];
}

interface Changed {
  readonly action: ArtifactAction;
  readonly nodes: readonly RuntimeNode[];
  readonly results: readonly NodeResult[];
}

async function changeArtifact({ index, connections }: ActionParts, path: ArtifactPath, wish: Wish): Promise<Changed> {
  const { kind, action } = actionOf(path['kind'] ?? '', wish.action);
  const name = path['name'] ?? '';
  const nodes = index
    .holders(path['group'] ?? '', kind.kind, name)
    .map(({ node }) => node)
    .filter(({ id }) => wish.nodes === undefined || wish.nodes.includes(id));
  if (nodes.length === 0) throw noArtifact(index, path);
  const call = { kind: kind.path, body: actionBody(kind, name, action) };
  const results = await Promise.all(
    nodes.map(async (node) => ({ node: node.id, ...(await act(connections, node, call)) })),
  );
  return { action, nodes, results };
}

/** @throws RestError 400 when artifacts of that kind cannot do it */
function actionOf(name: string, wish: string): { readonly kind: ArtifactKind; readonly action: ArtifactAction } {
  const kind = findKind(name);
  const action = kind?.actions.find((each) => each === wish);
  if (kind && action) return { kind, action };
  throw new RestError({
    code: 'MR_DASHBOARD_ACTION',
    status: 400,
    message: `${name} cannot do ${wish}; possible: ${kind?.actions.join(', ') || 'none'}`,
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
