import { resolveUserName, type NameRules } from '../oauth/user-name.ts';
import { isSuperTenant, superTenant } from '../tenants/tenant.ts';
import type { Users } from './users.ts';

export interface VerifyAdminParts extends NameRules {
  readonly users: Users;
  readonly adminRole: string;
}

/** Tells whether a name and a password are those of an administrator of the super tenant. */
export function createVerifyAdmin(parts: VerifyAdminParts): (username: string, password: string) => Promise<boolean> {
  const wanted = parts.adminRole.toLowerCase();
  return async (username, password) => {
    const resolved = await resolveUserName(username, superTenant, parts);
    if (!resolved || !isSuperTenant(resolved.tenant)) return false;
    const { user } = await parts.users.signIn(resolved.tenant, resolved.name, password);
    return user !== undefined && (await parts.users.roles(user)).some((role) => role.toLowerCase() === wanted);
  };
}
