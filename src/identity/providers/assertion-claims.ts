import type { ClaimTables } from '../claims/claim-tables.ts';
import { localDialect } from '../claims/local-claims.ts';
import { claimsOfTokens } from '../claims/oidc-claims.ts';
import type { IdentityProvider } from './provider.ts';

/** What the configuration says about claims of assertions. */
export interface AssertionClaimRules {
  /** Local claims are called by their OpenID Connect names (`oauth.oidc.claims.enable_oidc_dialect`). */
  readonly usesOidcNames: boolean;
  /** Claims without a mapping are kept (`oauth.oidc.claims.enable_unmapped_user_attributes`). */
  readonly keepsUnmapped: boolean;
}

/** The claims of an issued token that come from an assertion, by the provider's mapping (identity 3.5, 3.6, 4.2). */
export function claimsOfAssertion(
  claims: Readonly<Record<string, unknown>>,
  { claims: mapping, roleClaim, roles }: Pick<IdentityProvider, 'claims' | 'roleClaim' | 'roles'>,
  { usesOidcNames, keepsUnmapped, oidcNames }: AssertionClaimRules & Pick<ClaimTables, 'oidcNames'>,
): Readonly<Record<string, unknown>> {
  const taken = new Map<string, unknown>();
  for (const [remote, value] of Object.entries(claims)) {
    const local = mapping.get(remote);
    const isRole = remote === roleClaim;
    if (claimsOfTokens.has(remote) || (local === undefined && !isRole && !keepsUnmapped)) continue;
    const name = local ?? (isRole ? `${localDialect}role` : remote);
    taken.set(usesOidcNames ? oidcName(name, oidcNames) : name, isRole ? localRoles(value, roles) : value);
  }
  for (const name of claimsOfTokens) taken.delete(name);
  return Object.fromEntries(taken);
}

/** Roles that are mapped by their local names, others as they came. */
function localRoles(value: unknown, roles: ReadonlyMap<string, string>): readonly string[] {
  const given = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : [];
  return given.map((role) => roles.get(role.trim()) ?? role.trim());
}

const otherNames: ReadonlyMap<string, string> = new Map([
  [`${localDialect}role`, 'roles'],
  [`${localDialect}groups`, 'groups'],
]);

/** OpenID Connect's name of a local claim; one without keeps the end of its address. */
function oidcName(claim: string, names: ReadonlyMap<string, string>): string {
  if (!claim.startsWith(localDialect)) return claim;
  return names.get(claim) ?? otherNames.get(claim) ?? claim.slice(claim.lastIndexOf('/') + 1);
}
