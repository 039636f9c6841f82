import { tenantPath, type Tenant } from '../tenants/tenant.ts';
import type { UserGround } from '../users/ground.ts';
import type { User } from '../users/users.ts';
import { matchesFilter, type Filter } from './filter.ts';
import { groupIdOf } from './group-id.ts';
import { member, type ScimObject } from './json.ts';
import { applyPatch, type PatchOperation } from './patch.ts';
import { ScimError } from './scim-error.ts';
import { attributesOf, claimsIn, claimsOfResource } from './user-attributes.ts';
import { extensionSchemas, userSchema, userTable } from './user-table.ts';
import { localDialect } from '../claims/local-claims.ts';

/** The users of a tenant as resources (RFC 7643 §4.1, identity 5.5). */
export interface ScimUsers {
  list(tenant: Tenant, filter: Filter | undefined, storeDomain?: string): Promise<readonly ScimObject[]>;
  get(tenant: Tenant, id: string): Promise<ScimObject>;
  create(tenant: Tenant, resource: ScimObject): Promise<ScimObject>;
  replace(tenant: Tenant, id: string, resource: ScimObject): Promise<ScimObject>;
  patch(tenant: Tenant, id: string, operations: readonly PatchOperation[]): Promise<ScimObject>;
  delete(tenant: Tenant, id: string): Promise<void>;
}

export interface ScimUsersParts extends Pick<UserGround, 'stores' | 'users' | 'claims'> {
  readonly publicUrl: string;
}

/** Most users that one listing looks at. */
const mostListed = 10_000;

export function createScimUsers({ stores, users, claims: tables, publicUrl }: ScimUsersParts): ScimUsers {
  const table = userTable(tables);
  const shown = claimsIn(table);
  const isReadOnly = (claim: string): boolean => tables.declared(claim)?.isReadOnly === true;
  const nameOf = async (user: User): Promise<string> => {
    const [first] = await stores.of(user.tenant);
    return user.storeDomain === first?.domain ? user.name : `${user.storeDomain}/${user.name}`;
  };
  /** The ids that the user's store gives the groups, where it does. */
  const groupIds = async (user: User, names: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const ids = new Map<string, string>();
    const all = await stores.of(user.tenant);
    const store = all.find(({ domain }) => domain === user.storeDomain);
    if (names.length === 0 || !store?.hasGroupIds || !store.describeGroups) return ids;
    const prefix = store === all[0] ? '' : `${store.domain}/`;
    for (const { name, id } of await store.describeGroups(user.tenant)) {
      if (id !== undefined) ids.set(prefix + name, id);
    }
    return ids;
  };
  const resourceOf = async (user: User): Promise<ScimObject> => {
    const claims = await users.claims(user, shown);
    const attributes = attributesOf(claims, table);
    const base = `${publicUrl}${tenantPath(user.tenant)}/scim2`;
    const roles = await users.roles(user);
    const groups = roles.filter((role) => !/^(?:Internal|Application)\//.test(role));
    const ids = await groupIds(user, groups);
    const times = { created: timeOf(claims, 'created'), lastModified: timeOf(claims, 'modified') };
    return {
      schemas: [userSchema, ...extensionSchemas.filter((schema) => attributes[schema] !== undefined)],
      id: user.id,
      userName: await nameOf(user),
      ...attributes,
      groups: groups.map((display) => {
        const value = ids.get(display) ?? groupIdOf(user.tenant, display);
        return { display, value, $ref: `${base}/Groups/${value}` };
      }),
      roles: roles.map((value) => ({ type: 'default', value })),
      meta: {
        resourceType: 'User',
        ...(times.created !== undefined && { created: times.created }),
        ...(times.lastModified !== undefined && { lastModified: times.lastModified }),
        location: `${base}/Users/${user.id}`,
      },
    };
  };

  const enabledDomains = async (tenant: Tenant): Promise<ReadonlySet<string>> =>
    new Set((await stores.of(tenant)).filter(({ rules }) => rules.isScimEnabled).map(({ domain }) => domain));

  const existing = async (tenant: Tenant, id: string): Promise<User> => {
    const user = await users.byId(tenant, id);
    if (user && (await enabledDomains(tenant)).has(user.storeDomain)) return user;
    throw new ScimError(404, `There is no user ${id}`);
  };

  /** Only what differs is written, so that stores without some attributes take changes of others. */
  const changesOf = async (user: User, resource: ScimObject): Promise<Map<string, string | null>> => {
    const before = await users.claims(user, shown);
    const changes = new Map<string, string | null>();
    for (const [claim, value] of claimsOfResource(resource, table)) {
      if ((before.get(claim) ?? null) !== value) changes.set(claim, value);
    }
    return changes;
  };

  const write = async (
    user: User,
    resource: ScimObject,
    changes: ReadonlyMap<string, string | null>,
  ): Promise<ScimObject> => {
    const given = member(resource, 'userName');
    if (typeof given === 'string' && given.toLowerCase() !== (await nameOf(user)).toLowerCase()) {
      throw new ScimError(400, 'userName cannot be changed', 'mutability');
    }
    await users.setClaims(user, changes);
    const password = member(resource, 'password');
    if (typeof password === 'string' && password !== '') await users.setPassword(user, password);
    return resourceOf(user);
  };

  return {
    async list(tenant, filter, storeDomain) {
      const domains = await enabledDomains(tenant);
      const name = namePattern(filter);
      const query = {
        limit: mostListed,
        ...(name !== undefined && { name }),
        ...(storeDomain !== undefined && { storeDomain: storeDomain.toUpperCase() }),
      };
      const found: ScimObject[] = [];
      for (const user of await users.list(tenant, query)) {
        if (!domains.has(user.storeDomain)) continue;
        const resource = await resourceOf(user);
        if (!filter || matchesFilter(filter, resource)) found.push(resource);
      }
      return found;
    },
    get: async (tenant, id) => resourceOf(await existing(tenant, id)),
    async create(tenant, resource) {
      const name = member(resource, 'userName');
      const password = member(resource, 'password');
      if (typeof name !== 'string' || name === '') {
        throw new ScimError(400, 'userName: expected a name', 'invalidValue');
      }
      if (typeof password !== 'string') throw new ScimError(400, 'password: expected a password', 'invalidValue');
      const domain = name.includes('/') ? name.slice(0, name.indexOf('/')).toUpperCase() : undefined;
      const all = await stores.of(tenant);
      const store = all.find((each) => each.domain === domain) ?? all[0];
      if (!store?.rules.isScimEnabled) {
        throw new ScimError(400, `The user store ${store?.domain ?? ''} takes no users over SCIM`, 'invalidValue');
      }
      const claims = new Map<string, string>();
      for (const [claim, value] of claimsOfResource(resource, table)) {
        if (value !== null && !isReadOnly(claim)) claims.set(claim, value);
      }
      return resourceOf(await users.create(tenant, { name, password, claims }));
    },
    async replace(tenant, id, resource) {
      const user = await existing(tenant, id);
      const changes = await changesOf(user, resource);
      // Whoever replaces a resource sends back what they were shown (RFC 7644 §3.5.1).
      return write(user, resource, new Map([...changes].filter(([claim]) => !isReadOnly(claim))));
    },
    async patch(tenant, id, operations) {
      const user = await existing(tenant, id);
      const resource = applyPatch(await resourceOf(user), operations);
      const changes = await changesOf(user, resource);
      const kept = [...changes.keys()].find(isReadOnly);
      if (kept !== undefined) throw new ScimError(400, `The claim ${kept} is read-only`, 'mutability');
      return write(user, resource, changes);
    },
    async delete(tenant, id) {
      await users.delete(await existing(tenant, id));
    },
  };
}

function timeOf(claims: ReadonlyMap<string, string>, name: string): string | undefined {
  const text = claims.get(localDialect + name);
  const iso = text?.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/, '$1-$2-$3T$4:$5:$6Z');
  return iso === undefined || Number.isNaN(Date.parse(iso)) ? undefined : new Date(iso).toISOString();
}

/** The pattern of names that a filter asks the stores for; undefined when it asks for more than a name. */
function namePattern(filter: Filter | undefined): string | undefined {
  if (filter?.kind !== 'compare' || filter.path.toLowerCase() !== 'username' || typeof filter.value !== 'string') {
    return undefined;
  }
  const value = filter.value.slice(filter.value.indexOf('/') + 1);
  if (value.includes('*')) return undefined;
  if (filter.operator === 'eq') return value;
  return filter.operator === 'sw' && !filter.value.includes('/') ? `${value}*` : undefined;
}
