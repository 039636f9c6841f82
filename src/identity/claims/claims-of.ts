import type { ClaimsOf } from '../oauth/services.ts';
import type { User, Users } from '../users/users.ts';
import type { ClaimTables } from './claim-tables.ts';
import { typedValue, type OidcClaim } from './oidc-claims.ts';

/** Roles that every store shares; the others are groups of a store. */
const sharedRole = /^(?:Internal|Application|System)\//i;

export interface ClaimsOfParts {
  readonly users: Users;
  readonly claims: Pick<ClaimTables, 'oidc'>;
}

/** The claims of OpenID Connect from what the stores know (identity 4.2). */
export function createClaimsOf({ users, claims: { oidc } }: ClaimsOfParts): ClaimsOf {
  return async ({ userId, tenant, scopes, configured, requested }) => {
    const user = await users.byId(tenant, userId);
    if (!user) return {};
    const isWanted = (name: string, scope: string): boolean =>
      (scopes.includes(scope) || requested.includes(name)) && (configured === undefined || configured.includes(name));
    const isShown = ({ name, scope, partOfAddress }: OidcClaim): boolean =>
      isWanted(partOfAddress ? 'address' : name, scope);
    const claims: Record<string, unknown> = {};
    if (isWanted('username', 'profile')) claims['username'] = user.name;
    Object.assign(claims, await storedClaims(users, user, oidc.filter(isShown)));
    const wantsGroups = isWanted('groups', 'groups');
    const wantsRoles = isWanted('roles', 'roles');
    const roles = wantsGroups || wantsRoles ? await users.roles(user) : [];
    if (wantsGroups) claims['groups'] = roles.filter((role) => !sharedRole.test(role));
    if (wantsRoles) claims['roles'] = roles;
    return claims;
  };
}

async function storedClaims(users: Users, user: User, wanted: readonly OidcClaim[]): Promise<Record<string, unknown>> {
  if (wanted.length === 0) return {};
  const values = await users.claims(
    user,
    wanted.map(({ local }) => local),
  );
  const claims: Record<string, unknown> = {};
  const address: Record<string, unknown> = {};
  for (const { name, local, type, partOfAddress } of wanted) {
    const text = values.get(local);
    const value = text === undefined ? undefined : typedValue(text, type);
    if (value !== undefined) (partOfAddress ? address : claims)[name] = value;
  }
  return Object.keys(address).length === 0 ? claims : { ...claims, address };
}
