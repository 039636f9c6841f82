import type { Tenant } from '../tenants/tenant.ts';

/** A user as the stores know it. */
export interface User {
  /** Unique in all stores of the tenant, and never given again. */
  readonly id: string;
  /** Name without store domain and tenant. */
  readonly name: string;
  /** Domain of the user store in upper case; `PRIMARY` for the first (identity 5.3). */
  readonly storeDomain: string;
  readonly tenant: Tenant;
  /** What lists show beside the name, where the store has such a thing. */
  readonly displayName?: string;
}

/** Why nobody was signed in; what is told to the caller never depends on it (identity 3.2). */
export type SignInFailure = 'unknown' | 'password' | 'locked' | 'disabled' | 'unavailable';

export type SignIn =
  | { readonly user: User; readonly failure?: undefined }
  | { readonly user?: undefined; readonly failure: SignInFailure };

export interface NewUser {
  /** `DOMAIN/name` for a secondary store. */
  readonly name: string;
  readonly password: string;
  readonly roles?: readonly string[];
  /** Values by local claim, such as `http://wso2.org/claims/emailaddress`. */
  readonly claims?: ReadonlyMap<string, string>;
}

export interface UserQuery {
  /** Pattern with `*`; all users when absent. */
  readonly name?: string;
  readonly storeDomain?: string;
  readonly offset?: number;
  readonly limit: number;
}

/** The users of all tenants, over all of their stores in order (identity 5.3). */
export interface Users {
  /**
   * Checks a name and a password. The name may carry a store domain; without one the stores are asked in order.
   * Takes as long for an unknown name as for a wrong password.
   */
  signIn(tenant: Tenant, name: string, password: string): Promise<SignIn>;
  find(tenant: Tenant, name: string): Promise<User | undefined>;
  byId(tenant: Tenant, id: string): Promise<User | undefined>;
  list(tenant: Tenant, query: UserQuery): Promise<readonly User[]>;
  /** True when the user may not sign in now. */
  isBlocked(user: User): Promise<boolean>;
  /** Role names as artifacts and scopes name them: `admin`, `Internal/everyone`, `DOMAIN/group`. */
  roles(user: User): Promise<readonly string[]>;
  /** Values by local claim; only those that the user has. */
  claims(user: User, wanted: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** @throws MillraceError `MR_USER_NAME`, `MR_USER_PASSWORD`, `MR_USER_EXISTS`, `MR_STORE_READ_ONLY`, `MR_CLAIM_VALUE` */
  create(tenant: Tenant, user: NewUser): Promise<User>;
  setPassword(user: User, password: string): Promise<void>;
  /** @throws MillraceError `MR_CLAIM_VALUE`, `MR_STORE_READ_ONLY` */
  setClaims(user: User, claims: ReadonlyMap<string, string | null>): Promise<void>;
  setRoles(user: User, change: { readonly add: readonly string[]; readonly remove: readonly string[] }): Promise<void>;
  delete(user: User): Promise<void>;
}
