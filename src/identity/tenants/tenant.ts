/** A tenant, resolved once per request and handed to every store. */
export interface Tenant {
  /** `-1234` for the super tenant, 1 and up for others (identity 5.4). */
  readonly id: number;
  /** Lower-case domain; `carbon.super` for the super tenant. */
  readonly domain: string;
  readonly isActive: boolean;
}

/** The tenant that is there before any other was made (identity 5.4). */
export const superTenant: Tenant = Object.freeze({ id: -1234, domain: 'carbon.super', isActive: true });

export function isSuperTenant({ id }: Tenant): boolean {
  return id === superTenant.id;
}

/** The path before a tenant's resources: empty for the super tenant, `/t/DOMAIN` for others. */
export function tenantPath(tenant: Tenant): string {
  return isSuperTenant(tenant) ? '' : `/t/${tenant.domain}`;
}

/** Who a new tenant's first user is. */
export interface NewTenant {
  readonly domain: string;
  /** Name without the tenant, such as `admin`. */
  readonly adminName: string;
  readonly adminPassword: string;
  readonly email: string;
}

export interface TenantRecord extends Tenant {
  readonly email: string;
  readonly adminName: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/** Every tenant of the installation. */
export interface Tenants {
  /** By domain in any case, active or not; undefined when there is none. */
  find(domain: string): Promise<Tenant | undefined>;
  list(): Promise<readonly TenantRecord[]>;
  /**
   * Makes the tenant, its administrator, roles and key store, all or nothing.
   *
   * @throws MillraceError `MR_TENANT_DOMAIN`, `MR_TENANT_EXISTS`, or one of the user's rules
   */
  create(tenant: NewTenant): Promise<Tenant>;
  /** Lets a tenant work or stops it; one that is stopped loses the tokens of its clients. */
  setActive(domain: string, isActive: boolean): Promise<void>;
  /** Removes the tenant with everything that is its own. */
  delete(domain: string): Promise<void>;
  /** Forgets what is kept in memory of tenants, of which another node has changed one. */
  forget(): void;
}
