import type { Tenant } from '../tenants/tenant.ts';
import type { StoreRules } from './store-rules.ts';
import type { NewUser, SignIn, User, UserQuery } from './users.ts';

/** Where a store keeps a claim. */
export interface ClaimTarget {
  readonly attribute: string;
  readonly isMultiValued: boolean;
}

/** The attribute of a local claim; undefined for claims that the store does not keep. */
export type AttributeOf = (claim: string) => ClaimTarget | undefined;

/** What a store knows of a group. */
export interface GroupFacts {
  readonly name: string;
  /** Stays when the group is renamed; undefined where groups have no ids of their own. */
  readonly id: string | undefined;
  /** ISO 8601. */
  readonly created: string | undefined;
  readonly modified: string | undefined;
}

/**
 * One store of users: the database or a directory. Names are without store domain and tenant. Roles of a store are
 * called groups here; roles that every store shares are in `Roles`.
 */
export interface UserStore extends AsyncDisposable {
  /** In upper case; `PRIMARY` for the first. */
  readonly domain: string;
  readonly isReadOnly: boolean;
  /** Whether the store keeps groups of its own that can be written. */
  readonly writesGroups: boolean;
  readonly rules: StoreRules;
  signIn(tenant: Tenant, name: string, password: string): Promise<SignIn>;
  find(tenant: Tenant, name: string): Promise<User | undefined>;
  byId(tenant: Tenant, id: string): Promise<User | undefined>;
  /** Users whose claim has exactly this value; two at most, which tell that it is not one. */
  findByClaim(tenant: Tenant, claim: readonly [claim: string, value: string]): Promise<readonly User[]>;
  list(tenant: Tenant, query: UserQuery): Promise<readonly User[]>;
  isBlocked(user: User): Promise<boolean>;
  groups(user: User): Promise<readonly string[]>;
  claims(user: User, wanted: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** @throws MillraceError `MR_STORE_READ_ONLY`, and the rules of names and passwords */
  create(tenant: Tenant, user: Omit<NewUser, 'roles'>): Promise<User>;
  /** Takes over a user with a password that was hashed already, where the store keeps hashes of the same kind. */
  adopt?(tenant: Tenant, name: string, passwordHash: string): Promise<User>;
  setPassword(user: User, password: string): Promise<void>;
  setClaims(user: User, claims: ReadonlyMap<string, string | null>): Promise<void>;
  setGroups(user: User, change: { readonly add: readonly string[]; readonly remove: readonly string[] }): Promise<void>;
  delete(user: User): Promise<void>;
  /** Names of the store's own groups; all of them without a pattern. */
  listGroups(tenant: Tenant, pattern?: string): Promise<readonly string[]>;
  /** Whether groups have ids of their own, which `describeGroups` gives. */
  readonly hasGroupIds?: boolean;
  /** What the store knows of its groups besides their names; absent where it knows nothing. */
  describeGroups?(tenant: Tenant): Promise<readonly GroupFacts[]>;
  /** Ids of the users in a group; undefined when there is no such group. */
  groupMembers(tenant: Tenant, group: string): Promise<readonly string[] | undefined>;
  /** @throws MillraceError `MR_STORE_READ_ONLY`, `MR_ROLE_NAME`, `MR_ROLE_EXISTS` */
  createGroup(tenant: Tenant, group: string, members: readonly User[]): Promise<void>;
  deleteGroup(tenant: Tenant, group: string): Promise<void>;
}
