import {
  type AuditedCall,
  type AuditedChange,
  defineOperation,
  pick,
  RestError,
  type Operation,
  type RestMethod,
} from '#rest';
import type { Connections } from './connections.ts';
import { jsonOf, typeOf } from './http-caller.ts';
import { asRecord, asText } from './json-shape.ts';
import { liveResources, type LiveResource } from './live-resources.ts';
import type { Registry, RuntimeNode } from './registry.ts';

export interface LiveParts {
  readonly registry: Registry;
  readonly connections: Connections;
}

/** One operation for each thing that a runtime is asked for, with the rest of its path and without. */
export function liveOperations(parts: LiveParts): readonly Operation[] {
  return liveResources.flatMap((resource) =>
    resource.methods.flatMap((method) =>
      (['', '/{rest+}'] as const).map((rest) => liveOperation(parts, resource, { method, rest })),
    ),
  );
}

function liveOperation(
  parts: LiveParts,
  resource: LiveResource,
  { method, rest }: { readonly method: RestMethod; readonly rest: '' | '/{rest+}' },
): Operation {
  const isRead = method === 'GET';
  const word = resource.name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return defineOperation({
    id: `${isRead ? 'read' : method.toLowerCase()}${word[0]?.toUpperCase()}${word.slice(1)}${rest ? 'Part' : ''}`,
    method,
    path: `/nodes/{group}/{node}/${resource.name}${rest}`,
    summary: resource.summary,
    ...(isRead || method === 'DELETE' ? {} : { bodyForm: 'bytes' as const }),
    responses: { 200: { description: 'What the runtime answered' } },
    scope: isRead ? resource.read : resource.write,
    ...(!isRead && { audited: (call) => changeOf(resource, method, call) }),
    async handle({ path, url, body, request }) {
      const node = nodeOf(parts.registry, path);
      const client = await parts.connections.client(node.managementUrl);
      const below = path['rest'] === undefined ? '' : `/${encodePath(path['rest'])}`;
      const type = request.headers.get('Content-Type') ?? 'application/json';
      const sent = body as Uint8Array | undefined;
      const answer = await client.call(`${resource.path}${below}${url.search}`, {
        method,
        ...(sent && sent.length > 0 ? { body: sent, headers: ['Content-Type', type] } : {}),
      });
      if (answer.status >= 400) throw failureOf(answer.status, jsonOf(answer));
      // What comes from a runtime is data: it never becomes a page of the console.
      const shown = typeOf(answer) === 'application/json' ? 'application/json' : 'text/plain; charset=utf-8';
      return new Response(new Uint8Array(answer.bytes), {
        status: answer.status === 204 ? 200 : answer.status,
        headers: {
          'Content-Type': shown,
          'Content-Length': String(answer.bytes.length),
          'X-Content-Type-Options': 'nosniff',
          'Cache-Control': 'no-store',
        },
      });
    },
  });
}

/** What is told of a change of a runtime, which records it too: no value of these members is a secret. */
const told =
  'name status trace statistics userId isAdmin role addedRoles removedRoles domain loggerName loggerClass loggingLevel configName artifact next seconds payloads path'.split(
    ' ',
  );

const verbs: Readonly<Record<string, string>> = {
  POST: 'created',
  PUT: 'updated',
  PATCH: 'updated',
  DELETE: 'deleted',
};

// oxlint-disable-next-line max-params -- a call of a resource
function changeOf(
  resource: LiveResource,
  method: RestMethod,
  call: AuditedCall<unknown, unknown, unknown>,
): AuditedChange {
  const { group, node, rest } = pick(call.path, 'group', 'node', 'rest');
  const info = {
    ...(rest !== undefined && { rest }),
    ...pick(call.query, ...told),
    ...pick(bodyOf(call.body), ...told),
  };
  return {
    action: verbs[method] ?? 'updated',
    type: resource.name,
    info: { on: `${String(group)}/${String(node)}`, ...info },
  };
}

/** The JSON that is passed on; whether it is right is the runtime's business. */
function bodyOf(body: unknown): unknown {
  if (!(body instanceof Uint8Array) || body.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

/** Each segment on its own: a name may hold what a path may not. */
function encodePath(rest: string): string {
  return rest
    .split('/')
    .filter((segment) => segment !== '.' && segment !== '..')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
}

/** @throws RestError 404 */
export function nodeOf(registry: Registry, path: Readonly<Record<string, string>>): RuntimeNode {
  const node = registry.find(path['group'] ?? '', path['node'] ?? '');
  if (node) return node;
  throw new RestError({
    code: 'MR_DASHBOARD_NO_NODE',
    status: 404,
    message: `No node ${path['node']} has reported in the group ${path['group']}`,
  });
}

/** The runtime's refusal in the console's form; its 401 is the dashboard's trouble, not the user's. */
export function failureOf(status: number, body: unknown): RestError {
  const said = asRecord(body);
  const message = asText(said['Error']) ?? asText(said['error']) ?? asText(said['message']);
  const shown = status === 401 ? 502 : status;
  return new RestError({
    code: 'MR_DASHBOARD_RUNTIME',
    status: shown,
    message:
      message ?? (status === 404 ? 'The runtime does not have this' : `The runtime answered with status ${status}`),
  });
}
