import { MillraceError } from '#errors';
import { defineOperation, jsonResponse, pick, type RestApi, type SchemaBuilder } from '#rest';
import { createAdministrativeApi, type AdministrativeApiParts } from '../http/administrative-api.ts';
import type { Tenant, TenantRecord, Tenants } from './tenant.ts';

/** What follows on the making of a tenant. */
export type TenantCreated = (
  tenant: Tenant,
  owner: { readonly adminName: string; readonly email: string },
  tenants: Tenants,
) => Promise<void>;

export interface TenantsApiParts extends AdministrativeApiParts {
  readonly tenants: Tenants & { byId(id: number): Promise<Tenant | undefined> };
  /** Runs when a tenant was made, such as to tell people. */
  readonly tenantCreated?: TenantCreated;
}

interface NewTenantBody {
  readonly domain: string;
  readonly owners: readonly { readonly username: string; readonly password: string; readonly email: string }[];
}

interface ListQuery {
  readonly limit: number;
  readonly offset: number;
}

const path = '/tenants';

function describe(record: TenantRecord): unknown {
  return {
    id: String(record.id),
    domain: record.domain,
    owners: [{ username: record.adminName, email: record.email }],
    createdDate: new Date(record.created).toISOString(),
    lifecycleStatus: { activated: record.isActive },
  };
}

const scopes = { list: 'internal_list_tenants', modify: 'internal_modify_tenants' } as const;

/** The administration of tenants, for administrators of the super tenant. */
export function createTenantsApi(parts: TenantsApiParts): RestApi {
  const { tenants, publicUrl, tenantCreated } = parts;
  const recordOf = async (test: (record: TenantRecord) => boolean, name: string): Promise<TenantRecord> => {
    const found = (await tenants.list()).find(test);
    if (found) return found;
    throw new MillraceError({ code: 'MR_TENANT_UNKNOWN', status: 404, message: `There is no tenant ${name}` });
  };
  const byId = (id: string): Promise<TenantRecord> => recordOf((each) => String(each.id) === id, id);
  const tenantSchema = (z: SchemaBuilder): ReturnType<SchemaBuilder['object']> =>
    z.object({
      id: z.string(),
      domain: z.string(),
      createdDate: z.string(),
      lifecycleStatus: z.object({ activated: z.boolean() }),
    });
  const one = { 200: { description: 'The tenant', schema: tenantSchema } } as const;

  const operations = [
    defineOperation<Readonly<Record<string, string>>, ListQuery>({
      id: 'listTenants',
      method: 'GET',
      path,
      summary: 'Lists the tenants',
      scope: scopes.list,
      tenant: 'super',
      parameters: {
        query: (z) =>
          z.object({
            limit: z.coerce.number().int().min(1).max(500).default(30),
            offset: z.coerce.number().int().min(0).default(0),
          }),
      },
      responses: { 200: { description: 'Some of the tenants' } },
      async handle({ query: { limit, offset } }) {
        const all = await tenants.list();
        const some = all.slice(offset, offset + limit);
        return { totalResults: all.length, startIndex: offset + 1, count: some.length, tenants: some.map(describe) };
      },
    }),
    defineOperation<Readonly<Record<string, string>>, unknown, NewTenantBody>({
      id: 'createTenant',
      method: 'POST',
      path,
      summary: 'Makes a tenant with its administrator, roles and key, all or nothing',
      scope: scopes.modify,
      tenant: 'super',
      body: (z) =>
        z.object({
          domain: z.string().min(1),
          owners: z
            .array(z.object({ username: z.string().min(1), password: z.string().min(1), email: z.string().min(3) }))
            .length(1),
        }),
      responses: { 201: { description: 'The tenant was made', schema: tenantSchema } },
      audited: ({ body }) => ({
        action: 'created',
        type: 'tenant',
        info: { ...pick(body, 'domain'), owners: body?.owners.map(({ username }) => username) },
      }),
      async handle({ body }) {
        const [owner] = body.owners;
        if (!owner) throw new MillraceError({ code: 'MR_TENANT_OWNER', status: 400, message: 'Expected one owner' });
        const { username, password, email } = owner;
        const adminName = username.split('@', 1)[0] ?? username;
        const made = await tenants.create({ domain: body.domain, adminName, adminPassword: password, email });
        await tenantCreated?.(made, { adminName, email }, tenants);
        const location = `${publicUrl}/api/server/v1/tenants/${made.id}`;
        return jsonResponse(describe(await byId(String(made.id))), 201, { Location: location });
      },
    }),
    defineOperation({
      id: 'getTenant',
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'One tenant by its number',
      scope: scopes.list,
      tenant: 'super',
      responses: one,
      handle: async ({ path: { id = '' } }) => describe(await byId(id)),
    }),
    defineOperation({
      id: 'getTenantByDomain',
      method: 'GET',
      path: `${path}/domain/{domain}`,
      summary: 'One tenant by its domain',
      scope: scopes.list,
      tenant: 'super',
      responses: one,
      handle: async ({ path: { domain = '' } }) =>
        describe(await recordOf((each) => each.domain === domain.toLowerCase(), domain)),
    }),
    defineOperation<Readonly<Record<string, string>>, unknown, { readonly activated: boolean }>({
      id: 'setTenantStatus',
      method: 'PUT',
      path: `${path}/{id}/lifecycle-status`,
      summary: 'Activates or deactivates a tenant',
      scope: scopes.modify,
      tenant: 'super',
      body: (z) => z.object({ activated: z.boolean() }),
      responses: one,
      audited: ({ path, body }) => ({
        action: body?.activated === true ? 'enabled' : body ? 'disabled' : 'updated',
        type: 'tenant',
        info: pick(path, 'id'),
      }),
      async handle({ path: { id = '' }, body: { activated } }) {
        await tenants.setActive((await byId(id)).domain, activated);
        return describe(await byId(id));
      },
    }),
    defineOperation({
      id: 'deleteTenant',
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Removes a tenant with everything that is its own',
      scope: scopes.modify,
      tenant: 'super',
      responses: { 204: { description: 'The tenant is gone' } },
      audited: ({ path }) => ({ action: 'deleted', type: 'tenant', info: pick(path, 'id') }),
      async handle({ path: { id = '' } }) {
        await tenants.delete((await byId(id)).domain);
      },
    }),
  ];
  return createAdministrativeApi('Tenants', operations, parts);
}
