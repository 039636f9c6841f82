import type { Database } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import type { User } from './users.ts';

/** Everybody has it (identity 5.3). */
export const everyoneRole = 'Internal/everyone';

/** The roles in the database, which users of every store can have. */
export interface Roles {
  list(tenant: Tenant): Promise<readonly string[]>;
  exists(tenant: Tenant, role: string): Promise<boolean>;
  /** Makes the role if it is not there. */
  ensure(tenant: Tenant, role: string): Promise<void>;
  delete(tenant: Tenant, role: string): Promise<void>;
  of(user: User): Promise<readonly string[]>;
  members(tenant: Tenant, role: string): Promise<readonly string[]>;
  change(user: User, change: { readonly add: readonly string[]; readonly remove: readonly string[] }): Promise<void>;
  /** Forgets a user who is gone. */
  forget(user: User): Promise<void>;
}

export function createRoles(database: Database): Roles {
  const exists = async (tenant: Tenant, role: string): Promise<boolean> =>
    (await database.get('SELECT name FROM mr_role WHERE tenant = ? AND name = ?', [tenant.id, role])) !== undefined;
  return {
    exists,
    async list(tenant) {
      const rows = await database.all('SELECT name FROM mr_role WHERE tenant = ? ORDER BY name', [tenant.id]);
      return rows.map(({ name }) => String(name));
    },
    async ensure(tenant, role) {
      await database.transaction(async (transaction) => {
        const present = await transaction.get('SELECT name FROM mr_role WHERE tenant = ? AND name = ?', [
          tenant.id,
          role,
        ]);
        if (!present) await transaction.run('INSERT INTO mr_role (tenant, name) VALUES (?, ?)', [tenant.id, role]);
      });
    },
    async delete(tenant, role) {
      await database.transaction(async (transaction) => {
        await transaction.run('DELETE FROM mr_user_role WHERE tenant = ? AND role = ?', [tenant.id, role]);
        await transaction.run('DELETE FROM mr_role WHERE tenant = ? AND name = ?', [tenant.id, role]);
      });
    },
    async of({ tenant, id }) {
      const sql = 'SELECT role FROM mr_user_role WHERE tenant = ? AND user_id = ? ORDER BY role';
      const rows = await database.all(sql, [tenant.id, id]);
      return [...rows.map(({ role }) => String(role)), everyoneRole];
    },
    async members(tenant, role) {
      const sql = 'SELECT user_id FROM mr_user_role WHERE tenant = ? AND role = ? ORDER BY user_id';
      const rows = await database.all(sql, [tenant.id, role]);
      return rows.map(({ user_id: id }) => String(id));
    },
    async change({ tenant, id }, { add, remove }) {
      await database.transaction(async (transaction) => {
        for (const role of [...remove, ...add]) {
          const sql = 'DELETE FROM mr_user_role WHERE tenant = ? AND user_id = ? AND role = ?';
          await transaction.run(sql, [tenant.id, id, role]);
        }
        for (const role of add) {
          const sql = 'INSERT INTO mr_user_role (tenant, user_id, role) VALUES (?, ?, ?)';
          await transaction.run(sql, [tenant.id, id, role]);
        }
      });
    },
    async forget({ tenant, id }) {
      await database.run('DELETE FROM mr_user_role WHERE tenant = ? AND user_id = ?', [tenant.id, id]);
    },
  };
}
