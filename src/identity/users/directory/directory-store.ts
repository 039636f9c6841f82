import { getLogger, type Clock } from '#core';
import { MillraceError, toError } from '#errors';
import { blockingClaims } from '../../claims/local-claims.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { createTimedCache } from '../cache.ts';
import { checkName, checkPassword, checkRoleName, type StoreRules } from '../store-rules.ts';
import type { AttributeOf, UserStore } from '../user-store.ts';
import type { SignIn, User } from '../users.ts';
import { createConnections, type Trusted } from './connections.ts';
import { createEntries, valueOf, valuesOf } from './entries.ts';
import { escapeDn, fillDn, unescapeTyped } from './escape.ts';
import { createGroupEntries } from './group-entries.ts';
import { placesOf } from './places.ts';
import type { DirectorySettings } from './settings.ts';
import { createUserEntries, type FoundUser } from './user-entries.ts';
import { createUserWriter } from './write-user.ts';

const log = getLogger('identity');

export interface DirectoryStoreParts {
  readonly domain: string;
  readonly settings: DirectorySettings;
  readonly rules: StoreRules;
  readonly clock: Clock;
  readonly attributeOf: AttributeOf;
  readonly trusted?: Trusted | undefined;
}

/** `userAccountControl` of an account that was turned off. */
const disabledFlag = 2;

/** A store in a directory: LDAP or Active Directory (identity 5.1, 5.2). */
export function createDirectoryStore(parts: DirectoryStoreParts): UserStore {
  const { domain, settings, rules, clock, attributeOf } = parts;
  const connections = createConnections(settings.connection, clock, parts.trusted);
  const entries = createEntries(connections, settings.connection.referral);
  const fold = (name: string): string => (rules.isCaseInsensitive ? name.toLowerCase() : name);
  const names = createTimedCache<string>(settings.cachesNames ? settings.cacheTime : 0, clock);
  const users = createUserEntries({ domain, settings, entries, names, fold });
  const groups = createGroupEntries({ settings, entries, connections });
  const writer = createUserWriter({ settings, connections, attributeOf, separator: rules.separator });
  const roles = createTimedCache<readonly string[]>(settings.cachesRoles ? settings.cacheTime : 0, clock);

  const checkWritable = (): void => {
    if (!settings.isReadOnly) return;
    const message = `The user store ${domain} is read-only`;
    throw new MillraceError({ code: 'MR_STORE_READ_ONLY', status: 400, message });
  };
  const checkGroupsWritable = (): void => {
    if (settings.group.isWritten && settings.group.isRead) return;
    const message = `The groups of the user store ${domain} are read-only`;
    throw new MillraceError({ code: 'MR_STORE_READ_ONLY', status: 400, message });
  };
  const entryOf = async ({ tenant, id, name }: User): Promise<FoundUser> => {
    const found = await users.byId(tenant, id);
    if (found) return found;
    throw new MillraceError({ code: 'MR_USER_UNKNOWN', status: 404, message: `There is no user "${name}"` });
  };
  const capped = (limit: number, cap: number): number => (cap === 0 ? limit : Math.min(limit, cap));
  const keyOf = ({ tenant, id }: User): string => `${tenant.id}/${id}`;

  /** A bind that times out is tried again so many times. */
  const bind = async (dn: string, password: string): Promise<boolean> => {
    for (let left = settings.retriesAtSignIn; ; left--) {
      try {
        return await connections.bind(dn, password);
      } catch (error) {
        if (left <= 0) throw error;
      }
    }
  };

  /** Patterns need no search before the bind: the service account may be without the right to search. */
  const signInByPattern = async (tenant: Tenant, name: string, password: string): Promise<SignIn | undefined> => {
    for (const pattern of placesOf(settings, tenant).userPatterns) {
      if (!(await bind(fillDn(pattern, name), password))) continue;
      const found = await users.byName(tenant, name);
      if (found) return judge(found);
    }
    return undefined;
  };

  const signIn = async (tenant: Tenant, typed: string, password: string): Promise<SignIn> => {
    const name = settings.readsEscapes ? unescapeTyped(typed) : typed;
    const byPattern = await signInByPattern(tenant, name, password);
    if (byPattern) return byPattern;
    const found = await users.byName(tenant, typed);
    if (!found) {
      // Takes as long as a wrong password.
      const [base = ''] = placesOf(settings, tenant).userBases;
      await bind(`${settings.user.nameAttribute}=${escapeDn(name)},${base}`, password);
      return { failure: 'unknown' };
    }
    return (await bind(found.entry.dn, password)) ? judge(found) : { failure: 'password' };
  };

  return {
    domain,
    rules,
    isReadOnly: settings.isReadOnly,
    writesGroups: settings.group.isWritten && settings.group.isRead,
    async signIn(tenant, name, password) {
      // An empty password would be an anonymous bind, which succeeds (RFC 4513 §5.1.2).
      if (password === '') return { failure: 'password' };
      try {
        return await signIn(tenant, name, password);
      } catch (error) {
        if (!(error instanceof MillraceError) || error.status !== 503) throw error;
        log.warn({ store: domain, err: toError(error) }, 'nobody can sign in through a user store');
        return { failure: 'unavailable' };
      }
    },
    find: async (tenant, name) => (await users.byName(tenant, name))?.user,
    byId: async (tenant, id) => (await users.byId(tenant, id))?.user,
    async findByClaim(tenant, [claim, value]) {
      const target = attributeOf(claim);
      return target ? (await users.byAttribute(tenant, target.attribute, value)).map(({ user }) => user) : [];
    },
    async list(tenant, { name = '*', offset = 0, limit }) {
      const most = capped(limit, rules.maxListLength);
      const listed = await users.list(tenant, name, capped(offset + limit, rules.maxListLength));
      return listed.map(({ user }) => user).slice(offset, offset + most);
    },
    async isBlocked({ tenant, id }) {
      const found = await users.byId(tenant, id);
      return !found || isDisabled(found);
    },
    async groups(user) {
      const known = roles.get(keyOf(user));
      if (known) return known;
      const found = await users.byId(user.tenant, user.id);
      const current = found ? await groups.of(user.tenant, found.entry) : [];
      roles.set(keyOf(user), current);
      return current;
    },
    async claims({ tenant, id }, wanted) {
      const found = await users.byId(tenant, id);
      const values = new Map<string, string>();
      for (const claim of found ? wanted : []) {
        const target = attributeOf(claim);
        const all = found && target ? valuesOf(found.entry, target.attribute) : [];
        if (all.length > 0) values.set(claim, all.join(rules.separator));
      }
      return values;
    },
    async create(tenant, facts) {
      checkWritable();
      checkName(facts.name, rules);
      checkPassword(facts.password, rules);
      if (await users.byName(tenant, facts.name)) {
        const message = `There is a user "${facts.name}" already`;
        throw new MillraceError({ code: 'MR_USER_EXISTS', status: 409, message });
      }
      await writer.create(tenant, facts);
      const made = await users.byName(tenant, facts.name);
      if (made) return made.user;
      throw new MillraceError({
        code: 'MR_STORE_PROPERTY',
        status: 500,
        message: `The user "${facts.name}" was made but is not found`,
        detail: 'UserNameSearchFilter does not match what UserEntryObjectClass and UserSearchBase make',
      });
    },
    async setPassword(user, password) {
      checkWritable();
      checkPassword(password, rules);
      await writer.setPassword((await entryOf(user)).entry, password);
    },
    async setClaims(user, claims) {
      checkWritable();
      await writer.setClaims((await entryOf(user)).entry, claims);
    },
    async setGroups(user, { add, remove }) {
      if (add.length + remove.length === 0) return;
      checkGroupsWritable();
      const { entry } = await entryOf(user);
      for (const name of add) await groups.change(user.tenant, name, { add: entry.dn });
      for (const name of remove) await groups.change(user.tenant, name, { remove: entry.dn });
      roles.delete(keyOf(user));
    },
    async delete(user) {
      checkWritable();
      const { entry } = await entryOf(user);
      // A directory without referential integrity would keep the name in its groups.
      if (settings.group.isWritten) {
        for (const name of await groups.of(user.tenant, entry)) {
          await groups.change(user.tenant, name, { remove: entry.dn });
        }
      }
      await connections.use((client) => client.del(entry.dn));
      users.forget(user.tenant, user.name);
      roles.delete(keyOf(user));
    },
    listGroups: (tenant, pattern = '*') => groups.list(tenant, pattern, rules.maxGroupListLength),
    hasGroupIds: settings.group.idAttribute !== undefined,
    describeGroups: (tenant) => groups.describe(tenant, rules.maxGroupListLength),
    async groupMembers(tenant, group) {
      const members = await groups.members(tenant, group);
      if (!members) return undefined;
      const ids: string[] = [];
      for (const dn of members) {
        const found = await users.byDn(tenant, dn);
        if (found) ids.push(found.user.id);
      }
      return ids;
    },
    async createGroup(tenant, group, members) {
      checkGroupsWritable();
      checkRoleName(group, rules);
      const names: string[] = [];
      for (const member of members) names.push((await entryOf(member)).entry.dn);
      await writer.prepare(tenant);
      await groups.create(tenant, group, names);
      roles.clear();
    },
    async deleteGroup(tenant, group) {
      checkGroupsWritable();
      await groups.delete(tenant, group);
      roles.clear();
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };

  function judge(found: FoundUser): SignIn {
    return isDisabled(found) ? { failure: 'disabled' } : { user: found.user };
  }

  function isDisabled({ entry }: FoundUser): boolean {
    const blocking = [...blockingClaims].some((claim) => {
      const target = attributeOf(claim);
      return target !== undefined && valueOf(entry, target.attribute)?.toLowerCase() === 'true';
    });
    if (blocking || settings.kind !== 'active_directory') return blocking;
    return (Number(valueOf(entry, 'userAccountControl') ?? 0) & disabledFlag) !== 0;
  }
}
