import type { FindCaller, Stores, Tenant } from '#identity';

/** What the authorization server of this process lends to modules that start after it. */
export interface Authority {
  readonly findCaller: FindCaller;
  readonly findTenant: (domain: string) => Promise<Tenant | undefined>;
  /** The tenant that the path of a request on the server's ports named. */
  readonly tenantOf: (request: Request) => Tenant;
  /** Where the users are. */
  readonly stores: Stores;
  /** Scheme and authority at which callers reach the server. */
  readonly publicUrl: string;
}

/** Filled by the module that has the authorization server; empty where a role has none. */
export interface AuthorityHolder {
  current: Authority | undefined;
}
