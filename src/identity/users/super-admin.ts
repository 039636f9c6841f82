import { MillraceError } from '#errors';
import { superTenant } from '../tenants/tenant.ts';
import type { Roles } from './roles.ts';
import type { UserStore } from './user-store.ts';
import type { Users } from './users.ts';

/** The administrator of a new installation. */
export interface SuperAdmin {
  /** `DOMAIN/name` for a secondary store. */
  readonly name: string;
  /** As `hashPassword` gives it; undefined when the account may not be made. */
  readonly passwordHash: string | undefined;
  /** What the file says, for stores that hash by themselves. */
  readonly password: string | undefined;
  /** The role that may do everything. */
  readonly role: string;
}

export interface SuperAdminParts {
  readonly users: Users;
  readonly roles: Roles;
  readonly stores: readonly UserStore[];
}

/**
 * Makes the administrator and the role at the first start; what is there stays as it is (identity 5.4).
 *
 * @throws MillraceError `MR_ADMIN_MISSING` when the account neither exists nor can be made
 */
export async function ensureSuperAdmin(admin: SuperAdmin, parts: SuperAdminParts): Promise<void> {
  const { users, roles } = parts;
  await roles.ensure(superTenant, admin.role);
  if (!(await users.find(superTenant, admin.name))) await create(admin, parts);
  const user = await users.find(superTenant, admin.name);
  if (user && !(await roles.of(user)).includes(admin.role)) await roles.change(user, { add: [admin.role], remove: [] });
}

async function create({ name, passwordHash, password }: SuperAdmin, { stores }: SuperAdminParts): Promise<void> {
  const slash = name.indexOf('/');
  const domain = slash < 0 ? undefined : name.slice(0, slash).toUpperCase();
  const store = domain === undefined ? stores[0] : stores.find((each) => each.domain === domain);
  const own = name.slice(slash + 1);
  if (!store) throw missing(name, `there is no user store ${domain}`);
  if (passwordHash === undefined) throw missing(name, 'super_admin.create_admin_account forbids making it');
  if (store.isReadOnly) throw missing(name, `the user store ${store.domain} is read-only: the user must be there`);
  if (store.adopt) await store.adopt(superTenant, own, passwordHash);
  else if (password !== undefined) await store.create(superTenant, { name: own, password });
  else throw missing(name, `the user store ${store.domain} needs super_admin.password to make it`);
}

function missing(name: string, reason: string): MillraceError {
  return new MillraceError({ code: 'MR_ADMIN_MISSING', message: `There is no account "${name}", and ${reason}` });
}
