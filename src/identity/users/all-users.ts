import { MillraceError } from '#errors';
import type { ClaimTables } from '../claims/claim-tables.ts';
import { blockingClaims } from '../claims/local-claims.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { everyoneRole, type Roles } from './roles.ts';
import type { UserStore } from './user-store.ts';
import type { SignIn, User, Users } from './users.ts';

export interface AllUsersParts {
  /** The stores of a tenant, the first one first. */
  readonly storesOf: (tenant: Tenant) => Promise<readonly UserStore[]> | readonly UserStore[];
  readonly roles: Roles;
  readonly claims: Pick<ClaimTables, 'declared'>;
  /** Runs when a user is gone or has another password: what was given to them ends. */
  readonly signedOut?: (user: User) => Promise<void>;
}

/** The users of all stores (identity 5.3). A name may begin with a store's domain and a slash. */
export function createUsers({ storesOf, roles, claims: rules, signedOut }: AllUsersParts): Users {
  const storeOf = async (tenant: Tenant, domain: string): Promise<UserStore> => {
    const store = (await storesOf(tenant)).find((each) => each.domain === domain);
    if (store) return store;
    throw new MillraceError({
      code: 'MR_STORE_UNKNOWN',
      status: 400,
      message: `There is no user store ${domain} in ${tenant.domain}`,
    });
  };
  const placesOf = async (
    tenant: Tenant,
    given: string,
  ): Promise<{ readonly stores: readonly UserStore[]; readonly name: string }> => {
    const stores = await storesOf(tenant);
    const slash = given.indexOf('/');
    const domain = slash < 0 ? undefined : given.slice(0, slash).toUpperCase();
    const named = stores.filter((store) => store.domain === domain);
    return named.length > 0 ? { stores: named, name: given.slice(slash + 1) } : { stores, name: given };
  };

  /** Tells roles that all stores share from groups of the user's own store. */
  const divide = async (
    tenant: Tenant,
    names: readonly string[],
    domain: string,
  ): Promise<{ readonly shared: readonly string[]; readonly groups: readonly string[] }> => {
    const shared: string[] = [];
    const groups: string[] = [];
    for (const name of names) {
      if (name.toLowerCase() === everyoneRole.toLowerCase()) continue;
      if (await roles.exists(tenant, name)) shared.push(name);
      else groups.push(name.toUpperCase().startsWith(`${domain}/`) ? name.slice(domain.length + 1) : name);
    }
    return { shared, groups };
  };

  const checkValues = (claims: ReadonlyMap<string, string | null>, separator: string): void => {
    for (const [claim, value] of claims) {
      const { regEx, isMultiValued, displayName = claim } = rules.declared(claim) ?? {};
      if (!regEx || value === null || value === '') continue;
      const values = isMultiValued ? value.split(separator) : [value];
      if (!values.every((each) => regEx.matches(each))) throw wrongValue(displayName, regEx.pattern);
    }
  };

  return {
    async signIn(tenant, given, password) {
      // An empty password would be an anonymous bind to a directory, which always succeeds.
      if (password === '') return { failure: 'password' };
      const { stores, name } = await placesOf(tenant, given);
      let failure: SignIn = { failure: 'unknown' };
      for (const store of stores) {
        const result = await store.signIn(tenant, name, password);
        if (result.user) return result;
        if (failure.failure === 'unknown') failure = result;
      }
      return failure;
    },
    async find(tenant, given) {
      const { stores, name } = await placesOf(tenant, given);
      for (const store of stores) {
        const user = await store.find(tenant, name);
        if (user) return user;
      }
      return undefined;
    },
    async byId(tenant, id) {
      for (const store of await storesOf(tenant)) {
        const user = await store.byId(tenant, id);
        if (user) return user;
      }
      return undefined;
    },
    async list(tenant, query) {
      const stores = await storesOf(tenant);
      const wanted = stores.filter(({ domain }) => query.storeDomain === undefined || domain === query.storeDomain);
      const found: User[] = [];
      const end = (query.offset ?? 0) + query.limit;
      for (const store of wanted) {
        if (found.length >= end) break;
        found.push(...(await store.list(tenant, { ...query, offset: 0, limit: end - found.length })));
      }
      return found.slice(query.offset ?? 0, end);
    },
    isBlocked: async (user) => (await storeOf(user.tenant, user.storeDomain)).isBlocked(user),
    async roles(user) {
      const store = await storeOf(user.tenant, user.storeDomain);
      const [groups, shared] = await Promise.all([store.groups(user), roles.of(user)]);
      const [first] = await storesOf(user.tenant);
      const prefix = store.domain === first?.domain ? '' : `${store.domain}/`;
      return [...groups.map((group) => prefix + group), ...shared];
    },
    claims: async (user, wanted) => (await storeOf(user.tenant, user.storeDomain)).claims(user, wanted),
    async create(tenant, { roles: wanted = [], ...facts }) {
      const { stores, name } = await placesOf(tenant, facts.name);
      const [store] = stores;
      // What stands before a slash is a store's domain, and never part of a new name.
      if (name.includes('/')) await storeOf(tenant, name.slice(0, name.indexOf('/')).toUpperCase());
      if (!store) throw new MillraceError({ code: 'MR_STORE_UNKNOWN', message: `${tenant.domain} has no user store` });
      for (const role of wanted) {
        if (!(await roles.exists(tenant, role))) throw unknownRole(role);
      }
      checkValues(facts.claims ?? new Map(), store.rules.separator);
      const user = await store.create(tenant, { ...facts, name });
      if (wanted.length > 0) await roles.change(user, { add: wanted, remove: [] });
      return user;
    },
    async setPassword(user, password) {
      await (await storeOf(user.tenant, user.storeDomain)).setPassword(user, password);
      await signedOut?.(user);
    },
    async setClaims(user, claims) {
      const store = await storeOf(user.tenant, user.storeDomain);
      checkValues(claims, store.rules.separator);
      await store.setClaims(user, claims);
      if ([...claims].some(([claim, value]) => blockingClaims.has(claim) && value === 'true')) await signedOut?.(user);
    },
    async setRoles(user, { add, remove }) {
      const store = await storeOf(user.tenant, user.storeDomain);
      const added = await divide(user.tenant, add, store.domain);
      const removed = await divide(user.tenant, remove, store.domain);
      await store.setGroups(user, { add: added.groups, remove: removed.groups });
      await roles.change(user, { add: added.shared, remove: removed.shared });
    },
    async delete(user) {
      await (await storeOf(user.tenant, user.storeDomain)).delete(user);
      await roles.forget(user);
      await signedOut?.(user);
    },
  };
}

function wrongValue(name: string, pattern: string): MillraceError {
  const message = `${name}: expected a value of the form ${pattern}`;
  return new MillraceError({ code: 'MR_CLAIM_VALUE', status: 400, message });
}

function unknownRole(role: string): MillraceError {
  return new MillraceError({ code: 'MR_ROLE_UNKNOWN', status: 400, message: `There is no role "${role}"` });
}
