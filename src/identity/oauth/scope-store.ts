import type { Clock } from '#core';
import { appendChange, type Database, type SqlRow } from '#db';
import type { Tenant } from '../tenants/tenant.ts';

/** A registered scope; users need one of the roles to be granted it, all of them when there is none. */
export interface Scope {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly roles: readonly string[];
}

/** The registered scopes of all tenants. */
export interface ScopeStore {
  list(tenant: Tenant): Promise<readonly Scope[]>;
  find(tenant: Tenant, name: string): Promise<Scope | undefined>;
  save(tenant: Tenant, scope: Scope): Promise<void>;
  delete(tenant: Tenant, name: string): Promise<boolean>;
  /** All of a tenant by their names, as they are kept in memory. */
  registered(tenant: Tenant): Promise<ReadonlyMap<string, Scope>> | ReadonlyMap<string, Scope>;
  /** Forgets what is kept in memory of a tenant's scopes, which another node has changed. */
  forget(tenantId: number): void;
}

/** Topic of changed scopes, so that other nodes forget what they kept of them. */
export const scopeChangedTopic = 'scope.changed';

interface Kept {
  readonly scopes: ReadonlyMap<string, Scope>;
  readonly until: number;
}

export interface ScopeStoreParts {
  readonly database: Database;
  readonly clock: Clock;
  /** How long the scopes of a tenant are kept in memory, in milliseconds. */
  readonly cacheTime: number;
}

/** The scopes in the database; a tenant has few, so that all of them are kept in memory once one is asked for. */
export function createScopeStore({ database, clock, cacheTime }: ScopeStoreParts): ScopeStore {
  const kept = new Map<number, Kept>();

  const list = async (tenant: Tenant): Promise<readonly Scope[]> => {
    const rows = await database.all('SELECT * FROM mr_scope WHERE tenant = ? ORDER BY name', [tenant.id]);
    return rows.map(scopeOf);
  };

  const load = async (tenant: Tenant): Promise<ReadonlyMap<string, Scope>> => {
    const until = clock.now() + cacheTime;
    const scopes = new Map((await list(tenant)).map((scope) => [scope.name, scope]));
    kept.set(tenant.id, { scopes, until });
    return scopes;
  };

  const change = (tenant: Tenant, name: string) => ({
    tenant: String(tenant.id),
    topic: scopeChangedTopic,
    key: name,
    payload: null,
  });

  return {
    list,
    registered(tenant) {
      const known = kept.get(tenant.id);
      return known && known.until > clock.now() ? known.scopes : load(tenant);
    },
    async find(tenant, name) {
      const row = await database.get('SELECT * FROM mr_scope WHERE tenant = ? AND name = ?', [tenant.id, name]);
      return row && scopeOf(row);
    },
    async save(tenant, scope) {
      await database.transaction(async (transaction) => {
        await transaction.run(deletion, [tenant.id, scope.name]);
        await transaction.run(
          'INSERT INTO mr_scope (tenant, name, display_name, description, roles) VALUES (?, ?, ?, ?, ?)',
          [tenant.id, scope.name, scope.displayName, scope.description, JSON.stringify(scope.roles)],
        );
        await appendChange(transaction, change(tenant, scope.name), clock);
      });
      kept.delete(tenant.id);
    },
    async delete(tenant, name) {
      const isGone = await database.transaction(async (transaction) => {
        const { changes } = await transaction.run(deletion, [tenant.id, name]);
        if (changes > 0) await appendChange(transaction, change(tenant, name), clock);
        return changes > 0;
      });
      kept.delete(tenant.id);
      return isGone;
    },
    forget(tenantId) {
      kept.delete(tenantId);
    },
  };
}

const deletion = 'DELETE FROM mr_scope WHERE tenant = ? AND name = ?';

function scopeOf(row: SqlRow): Scope {
  return {
    name: String(row['name']),
    displayName: String(row['display_name']),
    description: typeof row['description'] === 'string' ? row['description'] : '',
    roles: JSON.parse(String(row['roles'])) as readonly string[],
  };
}
