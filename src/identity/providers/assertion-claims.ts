import { oidcClaims } from '../claims/oidc-claims.ts';
import type { IdentityProvider } from './provider.ts';

/** What the configuration says about claims of assertions. */
export interface AssertionClaimRules {
  /** Local claims are called by their OpenID Connect names (`oauth.oidc.claims.enable_oidc_dialect`). */
  readonly usesOidcNames: boolean;
  /** Claims without a mapping are kept (`oauth.oidc.claims.enable_unmapped_user_attributes`). */
  readonly keepsUnmapped: boolean;
}

/** Claims that describe an assertion or a token, and no user: they are never taken over. */
const ofTokens: ReadonlySet<string> = new Set(
  (
    'iss sub aud exp nbf iat jti azp nonce auth_time at_hash c_hash s_hash acr amr sid scope client_id ' +
    'aut cnf act typ events binding_ref binding_type'
  ).split(' '),
);

/** The claims of an issued token that come from an assertion, by the provider's mapping (identity 3.5, 3.6, 4.2). */
export function claimsOfAssertion(
  claims: Readonly<Record<string, unknown>>,
  { claims: mapping, roleClaim, roles }: Pick<IdentityProvider, 'claims' | 'roleClaim' | 'roles'>,
  { usesOidcNames, keepsUnmapped }: AssertionClaimRules,
): Readonly<Record<string, unknown>> {
  const taken = new Map<string, unknown>();
  for (const [remote, value] of Object.entries(claims)) {
    const local = mapping.get(remote);
    const isRole = remote === roleClaim;
    if (ofTokens.has(remote) || (local === undefined && !isRole && !keepsUnmapped)) continue;
    const name = local ?? (isRole ? `${localDialect}role` : remote);
    taken.set(usesOidcNames ? oidcName(name) : name, isRole ? localRoles(value, roles) : value);
  }
  for (const name of ofTokens) taken.delete(name);
  return Object.fromEntries(taken);
}

/** Roles that are mapped by their local names, others as they came. */
function localRoles(value: unknown, roles: ReadonlyMap<string, string>): readonly string[] {
  const given = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : [];
  return given.map((role) => roles.get(role.trim()) ?? role.trim());
}

const localDialect = 'http://wso2.org/claims/';

const oidcNames: ReadonlyMap<string, string> = new Map([
  ...oidcClaims.map(({ local, name }) => [local, name] as const),
  [`${localDialect}role`, 'roles'],
  [`${localDialect}groups`, 'groups'],
]);

/** OpenID Connect's name of a local claim; one without keeps the end of its address. */
function oidcName(claim: string): string {
  if (!claim.startsWith(localDialect)) return claim;
  return oidcNames.get(claim) ?? claim.slice(claim.lastIndexOf('/') + 1);
}
