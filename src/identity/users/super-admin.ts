import { newRowId, type Clock } from '#core';
import type { Database } from '#db';
import { superTenant } from '../tenants/tenant.ts';
import type { Roles } from './roles.ts';
import type { Users } from './users.ts';

/** The administrator of a new installation. */
export interface SuperAdmin {
  readonly name: string;
  /** As `hashPassword` gives it. */
  readonly passwordHash: string;
  /** The role that may do everything. */
  readonly role: string;
}

export interface SuperAdminParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Users;
  readonly roles: Roles;
}

/** Makes the administrator and the role at the first start; what is there stays as it is (identity 5.4). */
export async function ensureSuperAdmin(admin: SuperAdmin, parts: SuperAdminParts): Promise<void> {
  const { database, clock, users, roles } = parts;
  await roles.ensure(superTenant, admin.role);
  if (!(await users.find(superTenant, admin.name))) {
    const now = clock.now();
    await database.run(
      'INSERT INTO mr_user (id, tenant, name, name_folded, password, blocked, changed, created) ' +
        'VALUES (?, ?, ?, ?, ?, 0, ?, ?)',
      [newRowId(), superTenant.id, admin.name, admin.name.toLowerCase(), admin.passwordHash, now, now],
    );
  }
  const user = await users.find(superTenant, admin.name);
  if (user && !(await roles.of(user)).includes(admin.role)) await roles.change(user, { add: [admin.role], remove: [] });
}
