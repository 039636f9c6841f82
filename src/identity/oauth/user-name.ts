import { superTenant, type Tenant } from '../tenants/tenant.ts';

/** A user name without its tenant, and the tenant. */
export interface ResolvedName {
  readonly name: string;
  readonly tenant: Tenant;
}

/** What a name is read by. */
export interface NameRules {
  readonly findTenant: (domain: string) => Promise<Tenant | undefined>;
  /** Names are addresses of mail (`tenant_mgt.enable_email_domain`). */
  readonly emailNames: boolean;
}

/**
 * Takes the tenant off a name (identity 5.4): what follows the last `@` is the domain of a tenant when there is one,
 * and part of the name otherwise, so that addresses of mail can be names. Where names are addresses of mail, a single `@`
 * belongs to the name, but for that of `@carbon.super`.
 */
export async function resolveUserName(
  given: string,
  fallback: Tenant,
  { findTenant, emailNames }: NameRules,
): Promise<ResolvedName | undefined> {
  const at = given.lastIndexOf('@');
  if (emailNames && at === given.indexOf('@') && given.slice(at + 1).toLowerCase() !== superTenant.domain) {
    return { name: given, tenant: fallback };
  }
  if (at < 0) return { name: given, tenant: fallback };
  const tenant = await findTenant(given.slice(at + 1).toLowerCase());
  if (!tenant) return { name: given, tenant: fallback };
  return tenant.isActive && at > 0 ? { name: given.slice(0, at), tenant } : undefined;
}
