import type { Tenant } from '../tenants/tenant.ts';
import type { NewUser, SignIn, User, UserQuery } from './users.ts';

/**
 * One store of users: the database or a directory. Names are without store domain and tenant. Roles of a store are
 * called groups here; roles that every store shares are in `Roles`.
 */
export interface UserStore extends AsyncDisposable {
  /** In upper case; `PRIMARY` for the first. */
  readonly domain: string;
  readonly isReadOnly: boolean;
  signIn(tenant: Tenant, name: string, password: string): Promise<SignIn>;
  find(tenant: Tenant, name: string): Promise<User | undefined>;
  byId(tenant: Tenant, id: string): Promise<User | undefined>;
  list(tenant: Tenant, query: UserQuery): Promise<readonly User[]>;
  isBlocked(user: User): Promise<boolean>;
  groups(user: User): Promise<readonly string[]>;
  claims(user: User, wanted: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** @throws MillraceError `MR_STORE_READ_ONLY`, and the rules of names and passwords */
  create(tenant: Tenant, user: Omit<NewUser, 'roles'>): Promise<User>;
  setPassword(user: User, password: string): Promise<void>;
  setClaims(user: User, claims: ReadonlyMap<string, string | null>): Promise<void>;
  setGroups(user: User, change: { readonly add: readonly string[]; readonly remove: readonly string[] }): Promise<void>;
  delete(user: User): Promise<void>;
}
