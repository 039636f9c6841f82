import type { IdentitySettings } from '../settings.ts';
import { tenantPath, type Tenant } from '../tenants/tenant.ts';

/** Address of the tenant's endpoints: the server's, and the tenant's path. */
export function tenantUrl({ publicUrl }: Pick<IdentitySettings, 'publicUrl'>, tenant: Tenant): string {
  return publicUrl + tenantPath(tenant);
}

/** Issuer of a tenant: the configured one, else the URL of its token endpoint (identity 2.7). */
export function issuerOf(settings: Pick<IdentitySettings, 'publicUrl' | 'issuer'>, tenant: Tenant): string {
  return settings.issuer ?? `${tenantUrl(settings, tenant)}/oauth2/token`;
}
