import type { IdentityProvider } from '../../providers/provider.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { OAuthError } from '../errors.ts';
import type { OAuthServices } from '../services.ts';
import { userSubject } from '../subjects.ts';
import type { Subject } from '../tokens.ts';
import { resolveUserName } from '../user-name.ts';

/** A user whom somebody else vouches for. */
export function federatedSubject(name: string, tenant: Tenant, { name: provider }: IdentityProvider): Subject {
  return { id: name, name, storeDomain: '', tenant, type: 'federated', identityProvider: provider };
}

/**
 * A user of the tenant's own stores whom an assertion names by id or name.
 *
 * @throws OAuthError `invalid_grant` for one who is not there, is of another tenant or may not sign in
 */
export async function localSubject(name: string, tenant: Tenant, services: OAuthServices): Promise<Subject> {
  const { users } = services;
  const byId = await users.byId(tenant, name);
  const resolved = byId ? undefined : await resolveUserName(name, tenant, services);
  const isOwn = resolved?.tenant.id === tenant.id;
  const user = byId ?? (resolved && isOwn ? await users.find(tenant, resolved.name) : undefined);
  if (!user || (await users.isBlocked(user))) {
    throw new OAuthError('invalid_grant', 'The subject of the assertion is no user who may sign in');
  }
  return userSubject(user);
}
