import type { Clock } from '#core';
import { isConstraintViolation, appendChange, type Database, type SqlRow } from '#db';
import { MillraceError } from '#errors';
import { superTenant, type NewTenant, type Tenant, type TenantRecord, type Tenants } from './tenant.ts';

export interface TenantStoreParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Makes what a tenant begins with: administrator, roles, keys. What it throws undoes the tenant. */
  readonly prepare: (tenant: Tenant, facts: NewTenant) => Promise<void>;
  /** Ends what was given to the clients of a tenant that is stopped. */
  readonly stop: (tenant: Tenant) => Promise<void>;
  /** Removes what is the tenant's own, before the tenant itself. */
  readonly remove: (tenant: Tenant) => Promise<void>;
}

/** How long a tenant is kept in memory. */
const cacheTime = 5000;

/** A domain: lower-case letters, digits, dots, hyphens and underscores, with a dot that is not the first (identity 5.4). */
const domainSyntax = /^[a-z0-9_-][a-z0-9._-]*\.[a-z0-9_-]+$/;

/** `active` of a tenant that is being made: nobody sees it before it has everything. */
const beingMade = 2;

/** A tenant that has been in the making for so long is what a process left that ended meanwhile. */
const longestMaking = 5 * 60_000;

/** Topic of tenants that were made, changed or removed, so that other nodes forget what they kept of them. */
export const tenantChangedTopic = 'tenant.changed';

/** The tenants in the database; the super tenant is not among the rows. */
export function createTenants(parts: TenantStoreParts): Tenants & {
  byId(id: number): Promise<Tenant | undefined>;
} {
  const { database, clock, prepare, stop, remove } = parts;
  const kept = new Map<string | number, { readonly tenant: Tenant | undefined; readonly until: number }>();

  /** Grows with each change, so that what was read before one is not kept after it. */
  let changes = 0;

  const forget = (): void => {
    changes++;
    kept.clear();
  };

  const load = async (key: string | number): Promise<Tenant | undefined> => {
    if (key === superTenant.domain || key === superTenant.id) return superTenant;
    const known = kept.get(key);
    if (known && known.until > clock.now()) return known.tenant;
    const before = changes;
    const column = typeof key === 'number' ? 'id' : 'domain';
    const row = await database.get(`SELECT id, domain, active FROM mr_tenant WHERE ${column} = ? AND active < ?`, [
      key,
      beingMade,
    ]);
    const tenant = row && tenantOf(row);
    if (before !== changes) return tenant;
    if (kept.size > 10_000) kept.clear();
    kept.set(key, { tenant, until: clock.now() + cacheTime });
    return tenant;
  };

  const changed = async (domain: string, sql: string, values: readonly (string | number)[]): Promise<void> => {
    await database.transaction(async (transaction) => {
      await transaction.run(sql, values);
      await appendChange(transaction, { tenant: domain, topic: tenantChangedTopic, key: domain, payload: null }, clock);
    });
    forget();
  };

  /** Removes what is left of a tenant whose making was cut off. */
  const removeLeftOver = async (domain: string): Promise<void> => {
    const sql = 'SELECT id FROM mr_tenant WHERE domain = ? AND active = ? AND created < ?';
    const row = await database.get(sql, [domain, beingMade, clock.now() - longestMaking]);
    if (!row) return;
    const id = Number(row['id']);
    await remove({ id, domain, isActive: false });
    await database.run('DELETE FROM mr_tenant WHERE id = ?', [id]);
  };

  const existing = async (domain: string): Promise<Tenant> => {
    const tenant = await load(domain.toLowerCase());
    if (tenant && tenant.id !== superTenant.id) return tenant;
    throw new MillraceError({
      code: 'MR_TENANT_UNKNOWN',
      status: 404,
      message: tenant ? 'The super tenant cannot be changed' : `There is no tenant ${domain}`,
    });
  };

  return {
    find: (domain) => load(domain.toLowerCase()),
    byId: load,
    async list() {
      const rows = await database.all('SELECT * FROM mr_tenant WHERE active < ? ORDER BY id', [beingMade]);
      return rows.map(recordOf);
    },
    async create(facts) {
      const domain = facts.domain.toLowerCase();
      if (!domainSyntax.test(domain) || domain.length > 200) {
        throw new MillraceError({
          code: 'MR_TENANT_DOMAIN',
          status: 400,
          message: `Expected a domain such as example.com, found "${facts.domain}"`,
        });
      }
      await removeLeftOver(domain);
      const { insertId } = await database
        .run('INSERT INTO mr_tenant (domain, email, admin_name, active, created) VALUES (?, ?, ?, ?, ?)', [
          domain,
          facts.email,
          facts.adminName,
          beingMade,
          clock.now(),
        ])
        .catch((error: unknown) => {
          throw isConstraintViolation(error) ? existsAlready(domain) : error;
        });
      forget();
      const tenant = { id: insertId, domain, isActive: true };
      try {
        await prepare(tenant, facts);
        await changed(domain, 'UPDATE mr_tenant SET active = 1 WHERE id = ?', [tenant.id]);
      } catch (error) {
        await remove(tenant);
        await database.run('DELETE FROM mr_tenant WHERE id = ?', [tenant.id]);
        forget();
        throw error;
      }
      return tenant;
    },
    async setActive(domain, isActive) {
      const tenant = await existing(domain);
      await changed(tenant.domain, 'UPDATE mr_tenant SET active = ? WHERE id = ?', [isActive ? 1 : 0, tenant.id]);
      // Only now: while the tenant works, other nodes give tokens.
      if (!isActive) await stop({ ...tenant, isActive });
    },
    async delete(domain) {
      const tenant = await existing(domain);
      await remove(tenant);
      await changed(tenant.domain, 'DELETE FROM mr_tenant WHERE id = ?', [tenant.id]);
    },
    forget,
  };
}

function tenantOf(row: SqlRow): Tenant {
  return { id: Number(row['id']), domain: String(row['domain']), isActive: Number(row['active']) === 1 };
}

function recordOf(row: SqlRow): TenantRecord {
  return {
    ...tenantOf(row),
    email: String(row['email']),
    adminName: String(row['admin_name']),
    created: Number(row['created']),
  };
}

function existsAlready(domain: string): MillraceError {
  return new MillraceError({ code: 'MR_TENANT_EXISTS', status: 409, message: `There is a tenant ${domain} already` });
}
