import { tenantPath, type Tenant } from '../tenants/tenant.ts';
import { everyoneRole } from '../users/roles.ts';
import type { UserGround } from '../users/ground.ts';
import type { GroupFacts, UserStore } from '../users/user-store.ts';
import type { User } from '../users/users.ts';
import { matchesFilter, type Filter } from './filter.ts';
import { groupIdOf } from './group-id.ts';
import { isObject, member, type ScimObject } from './json.ts';
import { applyPatch, type PatchOperation } from './patch.ts';
import { ScimError } from './scim-error.ts';

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** The groups of a tenant's stores and the roles that stores share, as resources (RFC 7643 §4.2). */
export interface ScimGroups {
  list(tenant: Tenant, filter: Filter | undefined, storeDomain?: string): Promise<readonly ScimObject[]>;
  get(tenant: Tenant, id: string): Promise<ScimObject>;
  create(tenant: Tenant, resource: ScimObject): Promise<ScimObject>;
  replace(tenant: Tenant, id: string, resource: ScimObject): Promise<ScimObject>;
  patch(tenant: Tenant, id: string, operations: readonly PatchOperation[]): Promise<ScimObject>;
  delete(tenant: Tenant, id: string): Promise<void>;
}

interface Group {
  /** As users have it among their roles. */
  readonly name: string;
  /** The store that keeps it; undefined for a role that all stores share. */
  readonly store: UserStore | undefined;
  /** Name within the store. */
  readonly own: string;
  /** What the store knows of it besides. */
  readonly facts: GroupFacts | undefined;
}

export interface ScimGroupsParts extends Pick<UserGround, 'stores' | 'users' | 'roles'> {
  readonly publicUrl: string;
}

export function createScimGroups({ stores, users, roles, publicUrl }: ScimGroupsParts): ScimGroups {
  const groupsOf = async (tenant: Tenant): Promise<readonly Group[]> => {
    const found: Group[] = (await roles.list(tenant)).map((name) => ({
      name,
      own: name,
      store: undefined,
      facts: undefined,
    }));
    for (const [index, store] of (await stores.of(tenant)).entries()) {
      if (!store.rules.isScimEnabled) continue;
      const described: readonly Pick<Group, 'own' | 'facts'>[] = store.describeGroups
        ? (await store.describeGroups(tenant)).map((facts) => ({ own: facts.name, facts }))
        : (await store.listGroups(tenant)).map((own) => ({ own, facts: undefined }));
      const prefix = index === 0 ? '' : `${store.domain}/`;
      found.push(...described.map((group) => ({ ...group, store, name: prefix + group.own })));
    }
    return found.filter(({ name }) => name !== everyoneRole);
  };
  const existing = async (tenant: Tenant, id: string): Promise<Group> => {
    const found = (await groupsOf(tenant)).find((group) => idOf(tenant, group) === id);
    if (found) return found;
    throw new ScimError(404, `There is no group ${id}`);
  };
  const memberIds = async (tenant: Tenant, { name, store, own }: Group): Promise<readonly string[]> =>
    store ? ((await store.groupMembers(tenant, own)) ?? []) : roles.members(tenant, name);

  const resourceOf = async (tenant: Tenant, group: Group): Promise<ScimObject> => {
    const base = `${publicUrl}${tenantPath(tenant)}/scim2`;
    const id = idOf(tenant, group);
    const { created, modified } = group.facts ?? {};
    const members: ScimObject[] = [];
    for (const value of await memberIds(tenant, group)) {
      const user = await users.byId(tenant, value);
      if (user) members.push({ value, display: user.name, type: 'User', $ref: `${base}/Users/${value}` });
    }
    return {
      schemas: [groupSchema],
      id,
      displayName: group.name,
      members,
      meta: {
        resourceType: 'Group',
        ...(created !== undefined && { created }),
        ...(modified !== undefined && { lastModified: modified }),
        location: `${base}/Groups/${id}`,
      },
    };
  };

  const membersIn = async (tenant: Tenant, resource: ScimObject): Promise<readonly User[]> => {
    const given = member(resource, 'members') ?? [];
    if (!Array.isArray(given)) throw new ScimError(400, 'members: expected a list', 'invalidValue');
    const found: User[] = [];
    for (const item of given) {
      const id = isObject(item) ? member(item, 'value') : undefined;
      const user = typeof id === 'string' ? await users.byId(tenant, id) : undefined;
      if (!user) throw new ScimError(400, `members: there is no user ${String(id)}`, 'invalidValue');
      found.push(user);
    }
    return found;
  };

  const write = async (tenant: Tenant, group: Group, resource: ScimObject): Promise<ScimObject> => {
    const given = member(resource, 'displayName');
    if (given !== undefined && given !== group.name) {
      throw new ScimError(400, 'displayName cannot be changed', 'mutability');
    }
    const wanted = await membersIn(tenant, resource);
    const present = await memberIds(tenant, group);
    for (const user of wanted) {
      if (!present.includes(user.id)) await users.setRoles(user, { add: [group.name], remove: [] });
    }
    for (const id of present) {
      const user = wanted.some((each) => each.id === id) ? undefined : await users.byId(tenant, id);
      if (user) await users.setRoles(user, { add: [], remove: [group.name] });
    }
    return resourceOf(tenant, group);
  };

  return {
    async list(tenant, filter, storeDomain) {
      const found: ScimObject[] = [];
      for (const group of await groupsOf(tenant)) {
        if (storeDomain !== undefined && group.store?.domain !== storeDomain.toUpperCase()) continue;
        const resource = await resourceOf(tenant, group);
        if (!filter || matchesFilter(filter, resource)) found.push(resource);
      }
      return found;
    },
    get: async (tenant, id) => resourceOf(tenant, await existing(tenant, id)),
    async create(tenant, resource) {
      const name = member(resource, 'displayName');
      if (typeof name !== 'string' || name === '') {
        throw new ScimError(400, 'displayName: expected a name', 'invalidValue');
      }
      if ((await groupsOf(tenant)).some((each) => each.name.toLowerCase() === name.toLowerCase())) {
        throw new ScimError(409, `There is a group "${name}" already`, 'uniqueness');
      }
      const members = await membersIn(tenant, resource);
      const group = await placeOf(tenant, name);
      if (group.store) await group.store.createGroup(tenant, group.own, members);
      else {
        await roles.ensure(tenant, name);
        for (const user of members) await users.setRoles(user, { add: [name], remove: [] });
      }
      // The directory gives a new group its id and dates.
      const made = (await groupsOf(tenant)).find((each) => each.name === group.name);
      return resourceOf(tenant, made ?? group);
    },
    replace: async (tenant, id, resource) => write(tenant, await existing(tenant, id), resource),
    async patch(tenant, id, operations) {
      const group = await existing(tenant, id);
      return write(tenant, group, applyPatch(await resourceOf(tenant, group), operations));
    },
    async delete(tenant, id) {
      const { name, own, store } = await existing(tenant, id);
      if (store) await store.deleteGroup(tenant, own);
      else await roles.delete(tenant, name);
    },
  };

  /** Where a new group belongs: a store that keeps groups, else among the roles that all stores share. */
  async function placeOf(tenant: Tenant, name: string): Promise<Group> {
    const all = await stores.of(tenant);
    const slash = name.indexOf('/');
    const prefix = name.slice(0, Math.max(slash, 0)).toUpperCase();
    const named = slash < 0 ? undefined : all.find(({ domain }) => domain === prefix);
    const store = named ?? (slash < 0 ? all[0] : undefined);
    if (slash >= 0 && !named && !/^(?:INTERNAL|APPLICATION)$/.test(prefix)) {
      throw new ScimError(400, `displayName: there is no user store ${prefix}`, 'invalidValue');
    }
    if (named && !named.rules.isScimEnabled) {
      throw new ScimError(400, `The user store ${named.domain} takes no groups over SCIM`, 'invalidValue');
    }
    if (!store?.writesGroups) return { name, own: name, store: undefined, facts: undefined };
    return { name, own: named ? name.slice(slash + 1) : name, store, facts: undefined };
  }
}

function idOf(tenant: Tenant, { name, facts }: Group): string {
  return facts?.id ?? groupIdOf(tenant, name);
}
