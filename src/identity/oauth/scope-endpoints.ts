import { jsonAnswer, emptyAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import { guarded, type GuardParts } from './guarded.ts';
import type { Scope } from './scope-store.ts';
import { readScopes, type Scopes } from './scopes.ts';

export const scopesPath = '/api/identity/oauth2/v1.0/scopes';
const namedPath = `${scopesPath}/name/`;

/** The scope that each method needs. */
const needed = {
  GET: 'internal_oauth_scope_mgt_view',
  POST: 'internal_oauth_scope_mgt_create',
  PUT: 'internal_oauth_scope_mgt_update',
  DELETE: 'internal_oauth_scope_mgt_delete',
} as const;

export interface ScopeEndpointParts extends GuardParts {
  readonly scopes: Scopes;
}

/** Administration of scopes and the roles that they are bound to, as in the original (identity 1.1, 4.8). */
export function scopeEndpoints(parts: ScopeEndpointParts): readonly Endpoint[] {
  const { scopes } = parts;
  return [
    {
      path: scopesPath,
      methods: ['GET', 'POST'],
      handle: guarded(parts, needed, (request) =>
        request.method === 'GET' ? list(request, scopes) : create(request, scopes),
      ),
    },
    {
      path: `${namedPath}*`,
      methods: ['GET', 'PUT', 'DELETE'],
      handle: guarded(parts, needed, (request) => manage(request, scopes)),
    },
  ];
}

async function list({ tenant, query }: EndpointRequest, scopes: Scopes): Promise<EndpointAnswer> {
  const parameters = readParameters(query);
  // The first one is number 1.
  const start = Math.max(1, Math.trunc(Number(parameters.get('startIndex') ?? 1)) || 1) - 1;
  const count = Math.max(0, Math.trunc(Number(parameters.get('count') ?? 30)) || 0);
  return jsonAnswer((await scopes.list(tenant)).slice(start, start + count).map(describe));
}

async function create(request: EndpointRequest, scopes: Scopes): Promise<EndpointAnswer> {
  const { tenant } = request;
  const scope = readScope(request.body);
  if ('status' in scope) return scope;
  if (await scopes.find(tenant, scope.name)) {
    return failure(409, { code: '41004', description: `Scope with the name ${scope.name} already exists` });
  }
  await scopes.save(tenant, scope);
  return jsonAnswer(describe(scope), 201, ['Location', `${namedPath}${encodeURIComponent(scope.name)}`]);
}

async function manage(request: EndpointRequest, scopes: Scopes): Promise<EndpointAnswer> {
  const { tenant, method } = request;
  const name = nameIn(request.path);
  const present = name === undefined ? undefined : await scopes.find(tenant, name);
  if (!present) return failure(404, { code: '41003', description: `Scope ${name ?? ''} is not found` });
  if (method === 'GET') return jsonAnswer(describe(present));
  if (method === 'DELETE') {
    await scopes.delete(tenant, present.name);
    return emptyAnswer(200);
  }
  const changed = readScope(request.body, present.name);
  if ('status' in changed) return changed;
  await scopes.save(tenant, changed);
  return jsonAnswer(describe(changed));
}

function nameIn(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice(namedPath.length));
  } catch {
    // An escape that is no UTF-8 names no scope.
    return undefined;
  }
}

/** The scope of a body; the answer that says what is wrong with it otherwise. */
function readScope(body: string, known?: string): Scope | EndpointAnswer {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    parsed = undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) {
    return failure(400, { code: '41001', description: 'Expected a JSON object' });
  }
  const { name = known, displayName, description = '', bindings = [] } = parsed as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !isScopeName(name)) {
    return failure(400, { code: '41001', description: 'name: expected the name of a scope' });
  }
  if (known !== undefined && name !== known) {
    return failure(400, { code: '41001', description: `name: expected ${known}, as in the path` });
  }
  if (typeof displayName !== 'string' || displayName === '') {
    return failure(400, { code: '41002', description: 'displayName: expected a text' });
  }
  if (!Array.isArray(bindings) || !bindings.every((role) => typeof role === 'string')) {
    return failure(400, { code: '41001', description: 'bindings: expected a list of roles' });
  }
  return { name, displayName, description: String(description), roles: bindings };
}

function isScopeName(name: string): boolean {
  try {
    return readScopes(name).length === 1 && !name.includes(' ');
  } catch {
    // `readScopes` refuses characters that no scope may have.
    return false;
  }
}

function describe({ name, displayName, description, roles }: Scope): Readonly<Record<string, unknown>> {
  return { name, displayName, description, bindings: roles };
}

function failure(
  status: number,
  { code, description }: { readonly code: string; readonly description: string },
): EndpointAnswer {
  const message = status === 404 ? 'Not Found' : status === 409 ? 'Conflict' : 'Bad Request';
  return jsonAnswer({ code, message, description }, status);
}
