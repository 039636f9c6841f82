import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createHome, systemClock } from '#core';
import { coreSchema, migrate, openForeignDatabase, openSqlite, type Database } from '#db';
import { createProtection, oauthSchema, sessionsSchema, superTenant } from '#identity';
import { createClients, newClient } from '../../src/identity/oauth/client-store.ts';
import { createCodes, type CodeGrant } from '../../src/identity/oauth/codes.ts';
import { createDeviceCodes } from '../../src/identity/oauth/device-store.ts';
import { createPushedRequests } from '../../src/identity/oauth/par-store.ts';
import { createScopeStore } from '../../src/identity/oauth/scope-store.ts';
import { sweepTokens } from '../../src/identity/oauth/sweep.ts';
import { TokenStore } from '../../src/identity/oauth/token-store.ts';
import type { TokenValues } from '../../src/identity/oauth/token-store-parts.ts';
import { newOpaqueValue } from '../../src/identity/oauth/token-values.ts';
import type { TokenOrder } from '../../src/identity/oauth/tokens.ts';
import { createUsedAssertions } from '../../src/identity/oauth/used-assertions.ts';
import { recordedDatabase, type RecordedStatement } from '../helpers/recorded-database.ts';
import { mariadbMissing, startMariadb } from '../peers/mariadb.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';

const values: TokenValues = {
  access(issuedAt) {
    const value = newOpaqueValue(issuedAt);
    return { value, alias: value };
  },
  refresh: newOpaqueValue,
};

const protection = createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined });

/** Tokens that are there, so that a database has a choice. */
const present = 600;

function orderOf(name: string): TokenOrder {
  return {
    tenant: superTenant,
    clientId: `app-${name}`,
    subject: {
      id: `user-${name}`,
      name,
      storeDomain: '',
      tenant: superTenant,
      type: 'user',
      identityProvider: 'LOCAL',
    },
    grantType: 'password',
    scopes: ['openid'],
    binding: '',
    accessLifetime: 3_600_000,
    refreshLifetime: 7_200_000,
    form: 'opaque',
    authenticatedAt: undefined,
  };
}

/** Does everything that the authorization server does with its tables, once; gives the statements that it made. */
async function everything(plain: Database): Promise<readonly RecordedStatement[]> {
  await migrate(plain, [coreSchema, oauthSchema, sessionsSchema]);
  const clock = systemClock;
  const parts = { protection, clock };
  const settings = { skew: 0, renewsAccessToken: false, cleansUp: true, retainsForAudit: true, retries: 5 };
  const before = new TokenStore({ ...parts, database: plain, settings });
  for (let index = 0; index < present; index++) await before.issue(orderOf(String(index)), values);
  const { database, statements } = recordedDatabase(plain);
  const tokens = new TokenStore({ ...parts, database, settings });
  const kept = new TokenStore({ ...parts, database, settings: { ...settings, cleansUp: false } });
  const order = orderOf('one');
  const first = await tokens.issue(order, values);
  await tokens.issue(order, values);
  await tokens.findAccess(first.accessToken);
  await tokens.findPair(first.accessToken);
  const former = await tokens.findRefresh(first.refreshToken ?? '');
  assert.ok(former);
  const renewed = await tokens.renew({ former, order, values, refreshToken: undefined });
  await tokens.findFormer(first.refreshToken ?? '');
  const last = await kept.findPair(renewed.accessToken);
  assert.ok(last);
  await kept.revoke(last);
  await tokens.revokeFamily(renewed.record.family);
  await tokens.revokeOfSubject(order.subject.id);
  const clients = createClients({
    ...parts,
    database,
    cacheTime: 60_000,
    tenantOf: () => superTenant,
    revokeAll: (id) => tokens.revokeOfClient(id),
  });
  const client = newClient({ id: 'app-one', tenant: superTenant, name: 'one', owner: 'admin' });
  await clients.create(client);
  await clients.findAnywhere(client.id);
  await clients.newSecret(client);
  await clients.update(client);
  await clients.delete(client);
  const codes = createCodes({ ...parts, database, lifetime: 300_000, skew: 0 });
  // The store keeps whatever a code stands for.
  const grant: Partial<CodeGrant> = { clientId: client.id, subject: order.subject, scopes: [] };
  const code = await codes.create(superTenant, grant as CodeGrant);
  await codes.take(code);
  await codes.take(code);
  await codes.gave(code, 'family');
  const scopes = createScopeStore({ database, clock, cacheTime: 60_000 });
  await scopes.save(superTenant, { name: 'one', displayName: 'One', description: '', roles: [] });
  await scopes.registered(superTenant);
  await scopes.find(superTenant, 'one');
  await scopes.delete(superTenant, 'one');
  const devices = createDeviceCodes(database, clock);
  const device = await devices.create(client.id, []);
  await devices.enter(device.userCode);
  await devices.poll(device.deviceCode, client.id);
  const pushed = createPushedRequests(database, clock);
  await pushed.take(await pushed.add(client.id, new Map([['scope', 'openid']])), client.id);
  const used = createUsedAssertions(database, clock);
  await used.use({ issuer: 'https://idp.example', id: '1', expires: clock.now() + 60_000 });
  await sweepTokens(database, clock, { retainsForAudit: true });
  return [...statements.values()];
}

/** What is wrong with the plan of a statement; empty when nothing is. */
type Explain = (database: Database, statement: RecordedStatement) => Promise<string>;

const explains: Readonly<Record<string, Explain>> = {
  async sqlite(database, { sql, values: bound }) {
    const rows = await database.all(`EXPLAIN QUERY PLAN ${sql}`, bound);
    const details = rows.map(({ detail }) => String(detail));
    return details.filter((detail) => detail.startsWith('SCAN ')).join('; ');
  },
  async postgresql(database, { sql, values: bound }) {
    const lines = await database.transaction(async (transaction) => {
      // Tables of a test are small; what counts is whether there is an index for it.
      await transaction.run('SET LOCAL enable_seqscan = off');
      return transaction.all(`EXPLAIN ${sql}`, bound);
    });
    const plan = lines.map((line) => String(line['QUERY PLAN']));
    return plan.filter((line) => line.includes('Seq Scan')).join('; ');
  },
  async mysql(database, { sql, values: bound }) {
    const rows = await database.all(`EXPLAIN ${sql}`, bound);
    const scans = rows.filter(({ type, table, key }) => type === 'ALL' && table !== null && key === null);
    // Of an empty or tiny table the whole is read, whatever indexes it has: then one must at least be possible.
    const bare = scans.filter(({ possible_keys: keys, rows: count }) => keys === null && Number(count) > 1);
    return bare.map(({ table }) => `all of ${String(table)}`).join('; ');
  },
};

async function check(database: Database): Promise<void> {
  const statements = (await everything(database)).filter(({ sql }) => !/^INSERT INTO \w+ \([^)]*\) VALUES/.test(sql));
  assert.ok(statements.length > 30, `only ${statements.length} statements were made`);
  const explain = explains[database.dialect === 'mariadb' ? 'mysql' : database.dialect];
  assert.ok(explain, `plans of ${database.dialect} cannot be read`);
  const wrong: string[] = [];
  for (const statement of statements) {
    const problem = await explain(database, statement);
    if (problem !== '') wrong.push(`${statement.sql}\n    ${problem}`);
  }
  assert.deepEqual(wrong, []);
}

test('the embedded database finds every row by an index', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-plans-'));
  try {
    await using database = openSqlite({ path: join(directory, 'tokens.sqlite') });
    await check(database);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

for (const [name, missing, start] of [
  ['PostgreSQL', postgresqlMissing, startPostgresql],
  ['MariaDB', mariadbMissing, startMariadb],
] as const) {
  test(`${name} finds every row by an index`, { skip: missing }, async () => {
    await using peer = await start();
    await using database = await openForeignDatabase({ home: createHome(tmpdir()), ...peer });
    await check(database);
  });
}
