import type { Audit } from '#core';
import {
  createRestApi,
  defineOperation,
  jsonResponse,
  RestError,
  type FetchHandler,
  type Operation,
  type Principal,
  type RestMethod,
  pick,
} from '#rest';
import { authenticateBy } from '../http/authenticate.ts';
import { tenantOfRequest } from '../http/tenant-site.ts';
import type { FindCaller } from '../oauth/callers.ts';
import { tenantPath, type Tenant } from '../tenants/tenant.ts';
import { checkImport } from '../users/import-users.ts';
import type { UserGround } from '../users/ground.ts';
import { bulkLimits, performBulk, type BulkRequest, type Perform } from './bulk.ts';
import { mostResults, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { parseFilter } from './filter.ts';
import { isObject, member, type ScimObject } from './json.ts';
import type { PatchOperation } from './patch.ts';
import { project } from './projection.ts';
import { ScimError, scimErrorBody } from './scim-error.ts';
import { createScimGroups, type ScimGroups } from './scim-groups.ts';
import { createScimUsers, type ScimUsers } from './scim-users.ts';
import { userSchemas } from './user-schemas.ts';
import { userTable } from './user-table.ts';

export interface ScimApiParts extends UserGround {
  readonly findCaller: FindCaller;
  readonly audit: Audit;
  readonly publicUrl: string;
}

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;
type Resources = ScimUsers | ScimGroups;

const mediaType = 'application/scim+json';
const basePath = '/scim2';

/** SCIM 2.0 (RFC 7643, RFC 7644, identity 5.5). */
export function createScimApi(parts: ScimApiParts): { readonly fetch: FetchHandler; openapi(): Promise<unknown> } {
  const { findCaller, audit, publicUrl } = parts;
  const users = createScimUsers(parts);
  const groups = createScimGroups(parts);
  const baseOf = (request: Request): string => `${publicUrl}${tenantPath(tenantOfRequest(request))}${basePath}`;
  const own = { users, groups, parts, baseOf };
  const api = createRestApi({
    title: 'SCIM',
    version: '2.0',
    basePath,
    publicUrl,
    audit,
    operations: [
      ...resourceOperations('Users', users, 'internal_user_mgt'),
      ...resourceOperations('Groups', groups, 'internal_role_mgt'),
      ...resourceOperations('Roles', groups, 'internal_role_mgt'),
      ...meOperations(own),
      bulkOperation(own),
      ...discoveryOperations(baseOf, userSchemas(userTable(parts.claims), parts.claims)),
    ],
    authenticate: authenticate(findCaller),
    challenge: 'Basic realm="millrace"',
    limits: { size: bulkLimits.size },
    errorBody: scimErrorBody,
  });
  return {
    openapi: () => api.openapi(),
    async fetch(request, connection) {
      const response = await api.fetch(request, connection);
      if (response.headers.get('Content-Type')?.startsWith('application/json')) {
        response.headers.set('Content-Type', mediaType);
      }
      return response;
    },
  };
}

/** Whoever signs in with a password may see and change themselves. */
function authenticate(findCaller: FindCaller): ReturnType<typeof authenticateBy> {
  const inner = authenticateBy(findCaller);
  return async (request, connection) => {
    const principal = await inner(request, connection);
    if (!principal || !/^basic /i.test(request.headers.get('Authorization') ?? '')) return principal;
    return { ...principal, hasScope: (scope) => scope === 'internal_login' || principal.hasScope(scope) };
  };
}

function resourceOperations(name: 'Users' | 'Groups' | 'Roles', resources: Resources, scope: string): Operation[] {
  const path = `/${name}`;
  const one = `${path}/{id}`;
  const kind = name.slice(0, -1);
  const type = kind.toLowerCase();
  // The original lets whoever may see roles list them.
  const listScope = name === 'Users' ? `${scope}_list` : `${scope}_view`;
  const responses = { 200: { description: `The ${kind.toLowerCase()}`, type: mediaType } } as const;
  return [
    defineOperation({
      id: `list${name}`,
      method: 'GET',
      path,
      summary: `Lists ${name.toLowerCase()} by a filter, in pages`,
      scope: listScope,
      responses: { 200: { description: 'A ListResponse', type: mediaType } },
      handle: async ({ request, query }) => listResponse(resources, tenantOfRequest(request), query),
    }),
    defineOperation<Readonly<Record<string, string>>, Query, ScimObject>({
      id: `search${name}`,
      method: 'POST',
      path: `${path}/.search`,
      summary: 'The same with the query as a body',
      scope: listScope,
      body: (z) => z.record(z.string(), z.unknown()),
      responses: { 200: { description: 'A ListResponse', type: mediaType } },
      handle: async ({ request, body }) => listResponse(resources, tenantOfRequest(request), queryOf(body)),
    }),
    defineOperation<Readonly<Record<string, string>>, Query, ScimObject>({
      id: `create${kind}`,
      method: 'POST',
      path,
      summary: `Makes a ${kind.toLowerCase()}`,
      scope: `${scope}_create`,
      body: (z) => z.record(z.string(), z.unknown()),
      responses: { 201: { description: `The new ${kind.toLowerCase()}`, type: mediaType } },
      audited: ({ body }) => ({ action: 'created', type, info: pick(body, 'userName', 'displayName') }),
      async handle({ request, body, query }) {
        const made = await resources.create(tenantOfRequest(request), body);
        const location = (made['meta'] as { location: string }).location;
        return jsonResponse(shown(made, query), 201, { Location: location });
      },
    }),
    defineOperation({
      id: `get${kind}`,
      method: 'GET',
      path: one,
      summary: `One ${kind.toLowerCase()}`,
      scope: `${scope}_view`,
      responses,
      handle: async ({ request, path: { id = '' }, query }) =>
        shown(await resources.get(tenantOfRequest(request), id), query),
    }),
    defineOperation<Readonly<Record<string, string>>, Query, ScimObject>({
      id: `replace${kind}`,
      method: 'PUT',
      path: one,
      summary: `Replaces a ${kind.toLowerCase()}`,
      scope: `${scope}_update`,
      body: (z) => z.record(z.string(), z.unknown()),
      responses,
      audited: ({ path: { id }, body }) => ({
        action: 'updated',
        type,
        info: { id, ...pick(body, 'userName', 'displayName', 'active') },
      }),
      handle: async ({ request, path: { id = '' }, body, query }) =>
        shown(await resources.replace(tenantOfRequest(request), id, body), query),
    }),
    defineOperation<Readonly<Record<string, string>>, Query, ScimObject>({
      id: `patch${kind}`,
      method: 'PATCH',
      path: one,
      summary: `Changes parts of a ${kind.toLowerCase()}`,
      scope: `${scope}_update`,
      body: (z) => z.record(z.string(), z.unknown()),
      responses,
      audited: ({ path: { id }, body }) => ({ action: 'updated', type, info: { id, changed: patched(body) } }),
      handle: async ({ request, path: { id = '' }, body, query }) =>
        shown(await resources.patch(tenantOfRequest(request), id, operationsIn(body)), query),
    }),
    defineOperation({
      id: `delete${kind}`,
      method: 'DELETE',
      path: one,
      summary: `Removes a ${kind.toLowerCase()}`,
      scope: `${scope}_delete`,
      responses: { 204: { description: 'It is gone' } },
      audited: ({ path }) => ({ action: 'deleted', type, info: pick(path, 'id') }),
      handle: async ({ request, path: { id = '' } }) => resources.delete(tenantOfRequest(request), id),
    }),
  ];
}

/** What a body changes, by names alone: values may be passwords. */
function patched(body: ScimObject | undefined): readonly string[] {
  const operations = body?.['Operations'];
  if (!Array.isArray(operations)) return Object.keys(body ?? {}).filter((name) => name !== 'schemas');
  return operations.map((operation: unknown) => {
    const { op = '', path = '' } = pick(operation, 'op', 'path');
    return `${String(op)} ${String(path)}`.trim();
  });
}

interface Own {
  readonly users: ScimUsers;
  readonly groups: ScimGroups;
  readonly parts: ScimApiParts;
  readonly baseOf: (request: Request) => string;
}

function meOperations({ users, parts }: Own): Operation[] {
  const idOf = async (tenant: Tenant, principal: Principal | undefined): Promise<string> => {
    const user = principal && (await parts.users.find(tenant, principal.name));
    if (!user) throw new ScimError(404, 'The caller is no user');
    return user.id;
  };
  const facts = {
    path: '/Me',
    scope: 'internal_login',
    responses: { 200: { description: 'The caller', type: mediaType } },
  };
  const writing = (method: RestMethod, write: (tenant: Tenant, id: string, body: ScimObject) => Promise<ScimObject>) =>
    defineOperation<Readonly<Record<string, string>>, Query, ScimObject>({
      ...facts,
      id: `${method.toLowerCase()}Me`,
      method,
      summary: 'Changes the caller',
      body: (z) => z.record(z.string(), z.unknown()),
      audited: ({ body }) => ({ action: 'updated', type: 'me', info: { changed: patched(body) } }),
      async handle({ request, principal, body, query }) {
        const tenant = tenantOfRequest(request);
        return shown(await write(tenant, await idOf(tenant, principal), body), query);
      },
    });
  return [
    defineOperation({
      ...facts,
      id: 'getMe',
      method: 'GET',
      summary: 'The caller',
      async handle({ request, principal, query }) {
        const tenant = tenantOfRequest(request);
        return shown(await users.get(tenant, await idOf(tenant, principal)), query);
      },
    }),
    writing('PUT', (tenant, id, body) => users.replace(tenant, id, body)),
    writing('PATCH', (tenant, id, body) => users.patch(tenant, id, operationsIn(body))),
  ];
}

function bulkOperation({ users, groups, parts, baseOf }: Own): Operation {
  return defineOperation<Readonly<Record<string, string>>, Query, BulkRequest>({
    id: 'bulk',
    method: 'POST',
    path: '/Bulk',
    summary: 'Performs several operations',
    scope: 'internal_user_mgt_create',
    body: (z) =>
      z.object({
        failOnErrors: z.number().int().min(1).optional(),
        Operations: z.array(
          z.object({
            method: z.string(),
            path: z.string(),
            bulkId: z.string().optional(),
            data: z.unknown().optional(),
          }),
        ),
      }),
    responses: { 200: { description: 'A BulkResponse', type: mediaType } },
    audited: ({ body }) => ({
      action: 'updated',
      type: 'bulk',
      info: { operations: body?.Operations.map(({ method, path }) => `${method} ${path}`.slice(0, 200)) },
    }),
    async handle({ request, body, principal }) {
      const tenant = tenantOfRequest(request);
      const needed = ['list', 'view', 'update', 'delete'].map((verb) => `internal_user_mgt_${verb}`);
      const lacking = needed.find((scope) => !principal?.hasScope(scope));
      if (lacking !== undefined) {
        throw new RestError({ code: 'MR_REST_FORBIDDEN', status: 403, message: `This needs the scope ${lacking}` });
      }
      const perform: Perform = async (method, path, data) => {
        const [, name = '', id] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(path) ?? [];
        const resources: Resources | undefined = name === 'Users' ? users : name === 'Groups' ? groups : undefined;
        if (!resources) throw new ScimError(400, `path: expected /Users or /Groups, found ${path}`, 'invalidPath');
        if (name === 'Groups' && !principal?.hasScope('internal_role_mgt_update')) {
          throw new ScimError(403, 'This needs the scope internal_role_mgt_update');
        }
        if (method === 'POST' && id === undefined) {
          const given = name === 'Users' ? member(data, 'userName') : undefined;
          if (typeof given === 'string') await checkImport(parts, tenant, given);
          return resources.create(tenant, data);
        }
        if (id === undefined) throw new ScimError(400, `path: expected an id after ${path}`, 'invalidPath');
        if (method === 'PUT') return resources.replace(tenant, id, data);
        if (method === 'PATCH') return resources.patch(tenant, id, operationsIn(data));
        if (method !== 'DELETE') throw new ScimError(400, `method: ${method} is not possible`, 'invalidSyntax');
        await resources.delete(tenant, id);
        return undefined;
      };
      return performBulk(body, perform, baseOf(request));
    },
  });
}

function discoveryOperations(
  baseOf: (request: Request) => string,
  ofUsers: ReturnType<typeof userSchemas>,
): Operation[] {
  const open = (path: string, id: string, describe: (base: string) => unknown): Operation =>
    defineOperation({
      id,
      method: 'GET',
      path,
      summary: 'What this service can do',
      public: true,
      responses: { 200: { description: 'The description', type: mediaType } },
      handle: ({ request }) => describe(baseOf(request)),
    });
  const listed = (resources: readonly unknown[]): unknown => listBody(resources, { start: 1, total: resources.length });
  return [
    open('/ServiceProviderConfig', 'getServiceProviderConfig', serviceProviderConfig),
    open('/ResourceTypes', 'listResourceTypes', (base) => listed(resourceTypes(base, [...ofUsers.keys()].slice(1)))),
    open('/Schemas', 'listSchemas', (base) => listed(schemas(base, ofUsers))),
  ];
}

async function listResponse(resources: Resources, tenant: Tenant, query: Query): Promise<unknown> {
  const filter = textOf(query, 'filter');
  const found = await resources.list(
    tenant,
    filter === undefined ? undefined : parseFilter(filter),
    textOf(query, 'domain'),
  );
  // A start below 1 counts as 1, a count below 0 as 0 (RFC 7644 §3.4.2.4).
  const start = Math.max(1, numberOf(query, 'startIndex') ?? 1);
  const count = Math.min(mostResults, Math.max(0, numberOf(query, 'count') ?? 100));
  const page = found.slice(start - 1, start - 1 + count).map((resource) => shown(resource, query));
  return listBody(page, { start, total: found.length });
}

function listBody(resources: readonly unknown[], { start, total }: { start: number; total: number }): unknown {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex: start,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

function shown(resource: ScimObject, query: Query): ScimObject {
  const names = (name: string): readonly string[] => (textOf(query, name) ?? '').split(/[\s,]+/).filter(Boolean);
  return project(resource, { attributes: names('attributes'), excluded: names('excludedAttributes') });
}

function operationsIn(body: ScimObject): readonly PatchOperation[] {
  const operations = member(body, 'Operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimError(400, 'Operations: expected a list of operations', 'invalidSyntax');
  }
  return operations.map((each: unknown) => {
    const op = isObject(each) ? member(each, 'op') : undefined;
    const path = isObject(each) ? member(each, 'path') : undefined;
    if (!isObject(each) || typeof op !== 'string' || (path !== undefined && typeof path !== 'string')) {
      throw new ScimError(400, 'Operations: expected objects with op, path and value', 'invalidSyntax');
    }
    return { op, path, value: member(each, 'value') };
  });
}

/** The members of a search request as a query has them. */
function queryOf(body: ScimObject): Query {
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : String(value),
  ]);
  return Object.fromEntries(entries) as Query;
}

function textOf(query: Query, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

function numberOf(query: Query, name: string): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new ScimError(400, `${name}: expected a whole number, found ${text}`, 'invalidValue');
}
