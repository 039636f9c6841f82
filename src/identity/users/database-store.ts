import { newRowId, type Clock } from '#core';
import { isConstraintViolation, type Database, type SqlRow } from '#db';
import { MillraceError } from '#errors';
import { blockingClaims, localDialect } from '../claims/local-claims.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { verifyNothing, type PasswordHashing } from './passwords.ts';
import { checkName, checkPassword, type StoreRules } from './store-rules.ts';
import type { UserStore } from './user-store.ts';
import type { User } from './users.ts';

export interface DatabaseStoreParts {
  readonly domain: string;
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: StoreRules;
  readonly hashing: PasswordHashing;
  /** Claims that are kept in one place with a claim, itself among them; the first names the place. */
  readonly keptWith: (claim: string) => readonly string[];
}

interface Row {
  readonly name: string;
  /** As the hashing gives it. */
  readonly stored: string;
  readonly claims?: ReadonlyMap<string, string> | undefined;
}

/** The store in the database (identity 5.1, 5.2). */
export function createDatabaseStore(parts: DatabaseStoreParts): UserStore {
  const { domain, database, clock, rules, hashing, keptWith } = parts;
  const placeOf = (claim: string): string => keptWith(claim)[0] ?? claim;
  const fold = (name: string): string => (rules.isCaseInsensitive ? name.toLowerCase() : name);
  const rowOf = async (tenant: Tenant, name: string): Promise<SqlRow | undefined> =>
    database.get('SELECT * FROM mr_user WHERE tenant = ? AND name_folded = ?', [tenant.id, fold(name)]);
  const userOf = (row: SqlRow, tenant: Tenant): User => ({
    id: String(row['id']),
    name: String(row['name']),
    storeDomain: domain,
    tenant,
  });

  const checkOtherTenants = async ({ id }: Tenant, name: string): Promise<void> => {
    const sql = 'SELECT 1 AS found FROM mr_user WHERE name_folded = ? AND tenant <> ?';
    if (await database.get(sql, [fold(name), id])) throw existsAlready(name);
  };

  const insert = async (tenant: Tenant, { name, stored, claims }: Row): Promise<User> => {
    const id = newRowId();
    const now = clock.now();
    try {
      await database.transaction(async (transaction) => {
        await transaction.run(
          'INSERT INTO mr_user (id, tenant, name, name_folded, password, blocked, changed, created) ' +
            'VALUES (?, ?, ?, ?, ?, 0, ?, ?)',
          [id, tenant.id, name, fold(name), stored, now, now],
        );
        for (const [claim, value] of new Map([...(claims ?? [])].map(([claim, value]) => [placeOf(claim), value]))) {
          const sql = 'INSERT INTO mr_user_attribute (user_id, claim, value) VALUES (?, ?, ?)';
          await transaction.run(sql, [id, claim, value]);
        }
      });
    } catch (error) {
      throw isConstraintViolation(error) ? existsAlready(name) : error;
    }
    return { id, name, storeDomain: domain, tenant };
  };

  return {
    domain,
    rules,
    isReadOnly: false,
    // Every role of the database is one that all stores share.
    writesGroups: false,
    async signIn(tenant, name, password) {
      const row = await rowOf(tenant, name);
      if (!row) {
        await verifyNothing(password);
        return { failure: 'unknown' };
      }
      const stored = String(row['password']);
      if (!(await hashing.verify(password, stored))) return { failure: 'password' };
      if (hashing.isOutdated(stored)) {
        const sql = 'UPDATE mr_user SET password = ? WHERE id = ? AND password = ?';
        await database.run(sql, [await hashing.hash(password), String(row['id']), stored]);
      }
      return Number(row['blocked']) === 0 ? { user: userOf(row, tenant) } : { failure: 'locked' };
    },
    async find(tenant, name) {
      const row = await rowOf(tenant, name);
      return row && userOf(row, tenant);
    },
    async byId(tenant, id) {
      const row = await database.get('SELECT * FROM mr_user WHERE id = ? AND tenant = ?', [id, tenant.id]);
      return row && userOf(row, tenant);
    },
    async findByClaim(tenant, [claim, value]) {
      const names = keptWith(claim);
      const sql =
        'SELECT u.* FROM mr_user u JOIN mr_user_attribute a ON a.user_id = u.id ' +
        `WHERE u.tenant = ? AND a.claim IN (${names.map(() => '?').join(', ')}) AND a.value = ? LIMIT 2`;
      const rows = await database.all(sql, [tenant.id, ...names, value]);
      return rows.map((row) => userOf(row, tenant));
    },
    async list(tenant, { name = '*', offset = 0, limit }) {
      const most = rules.maxListLength === 0 ? limit : Math.min(limit, rules.maxListLength);
      const sql =
        "SELECT * FROM mr_user WHERE tenant = ? AND name_folded LIKE ? ESCAPE '!' ORDER BY name_folded " +
        `LIMIT ${Math.trunc(most)} OFFSET ${Math.trunc(offset)}`;
      const rows = await database.all(sql, [tenant.id, likePattern(fold(name))]);
      return rows.map((row) => userOf(row, tenant));
    },
    async isBlocked({ id }) {
      const row = await database.get('SELECT blocked FROM mr_user WHERE id = ?', [id]);
      return !row || Number(row['blocked']) !== 0;
    },
    groups: async () => [],
    async claims({ id }, wanted) {
      const rows = await database.all('SELECT claim, value FROM mr_user_attribute WHERE user_id = ?', [id]);
      const values = new Map(rows.map((row) => [String(row['claim']), String(row['value'])] as const));
      if (wanted.some((claim) => claim in timeColumns)) {
        const row = await database.get('SELECT created, changed FROM mr_user WHERE id = ?', [id]);
        for (const [claim, column] of Object.entries(timeColumns)) {
          if (row) values.set(claim, new Date(Number(row[column])).toISOString());
        }
      }
      const found = new Map<string, string>();
      for (const claim of wanted) {
        // What was stored before claims shared a place is still under their own names.
        const name = [claim, ...keptWith(claim)].find((each) => values.has(each));
        const value = name === undefined ? undefined : values.get(name);
        if (value !== undefined) found.set(claim, value);
      }
      return found;
    },
    async create(tenant, { name, password, claims }) {
      checkName(name, rules);
      checkPassword(password, rules);
      if (rules.isUniqueOverTenants) await checkOtherTenants(tenant, name);
      return insert(tenant, { name, stored: await hashing.hash(password), claims });
    },
    adopt: (tenant, name, passwordHash) => insert(tenant, { name, stored: passwordHash }),
    async setPassword({ id }, password) {
      checkPassword(password, rules);
      const sql = 'UPDATE mr_user SET password = ?, changed = ? WHERE id = ?';
      await database.run(sql, [await hashing.hash(password), clock.now(), id]);
    },
    async setClaims({ id }, claims) {
      await database.transaction(async (transaction) => {
        for (const [claim, value] of claims) {
          for (const each of keptWith(claim)) {
            await transaction.run('DELETE FROM mr_user_attribute WHERE user_id = ? AND claim = ?', [id, each]);
          }
          if (value === null) continue;
          const sql = 'INSERT INTO mr_user_attribute (user_id, claim, value) VALUES (?, ?, ?)';
          await transaction.run(sql, [id, placeOf(claim), value]);
        }
        await transaction.run('UPDATE mr_user SET changed = ? WHERE id = ?', [clock.now(), id]);
        const blocking = [...claims].filter(([claim]) => blockingClaims.has(claim));
        if (blocking.length === 0) return;
        const blocked = blocking.some(([, value]) => value === 'true') ? 1 : 0;
        await transaction.run('UPDATE mr_user SET blocked = ? WHERE id = ?', [blocked, id]);
      });
    },
    async setGroups(_user, { add, remove }) {
      const [first] = [...add, ...remove];
      if (first !== undefined) throw noGroups(domain, first);
    },
    async delete({ id }) {
      await database.transaction(async (transaction) => {
        await transaction.run('DELETE FROM mr_user_attribute WHERE user_id = ?', [id]);
        await transaction.run('DELETE FROM mr_user WHERE id = ?', [id]);
      });
    },
    listGroups: async () => [],
    groupMembers: async () => undefined,
    async createGroup(_tenant, group) {
      throw noGroups(domain, group);
    },
    async deleteGroup(_tenant, group) {
      throw noGroups(domain, group);
    },
    async [Symbol.asyncDispose]() {
      // The database belongs to whoever opened it.
    },
  };
}

/** Claims that columns of a user hold. */
const timeColumns: Readonly<Record<string, string>> = {
  [`${localDialect}created`]: 'created',
  [`${localDialect}modified`]: 'changed',
};

/** `*` as SQL writes it; what SQL would read as a pattern itself is escaped. */
function likePattern(pattern: string): string {
  return pattern.replaceAll(/[%_!]/g, '!$&').replaceAll('*', '%');
}

function noGroups(domain: string, group: string): MillraceError {
  const message = `The store ${domain} has no group "${group}"`;
  return new MillraceError({ code: 'MR_ROLE_UNKNOWN', status: 400, message });
}

function existsAlready(name: string): MillraceError {
  return new MillraceError({ code: 'MR_USER_EXISTS', status: 409, message: `There is a user "${name}" already` });
}
