import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { coreSchema, migrate, openSqlite } from '#db';
import { createTestBrowser, type TestBrowser } from '../../src/identity/test-browser.ts';
import { acme, headerOf, startTestIdentity, type TestIdentity } from '../../src/identity/test-identity.ts';
import { sqlConsolePath } from '../../src/identity/pages/sql-page.ts';
import { sqlConsoleEndpoints } from '../../src/identity/console/sql-console.ts';

const on = '[database_configuration]\nenable_h2_console = true\n';

interface Stage extends AsyncDisposable {
  readonly server: TestIdentity;
  readonly browser: TestBrowser;
  run(statement: string): Promise<TestBrowser>;
}

async function startStage(toml = on): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-sql-'));
  const file = join(folder, 'own.sqlite');
  const database = openSqlite({ path: file });
  await migrate(database, [coreSchema]);
  await database.run('CREATE TABLE mr_sample (id INTEGER, name TEXT, password TEXT)');
  for (let id = 0; id < 501; id++) {
    await database.run('INSERT INTO mr_sample VALUES (?, ?, ?)', [id, '<b>bold</b>', 'hidden-hash']);
  }
  const server = await startTestIdentity({
    toml,
    endpoints: ({ services, sessions }, config) =>
      sqlConsoleEndpoints({ ...services, config, file, sessions, adminRole: 'admin' }),
  });
  server.users.add({ name: 'admin', password: 'admin-password', roles: ['admin'] });
  server.users.add({ name: 'ada', password: 'right' });
  server.users.add({ name: 'boss', password: 'theirs', roles: ['admin'], tenant: acme });
  const browser = createTestBrowser(server);
  return {
    server,
    browser,
    run: (statement) => browser.submit({ statement }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function signIn({ browser }: Stage, username = 'admin', password = 'admin-password'): Promise<void> {
  await browser.open(sqlConsolePath);
  await browser.submit({ username, password });
}

test('an administrator reads a table, without scripts, and the audit says so', async () => {
  await using stage = await startStage();
  await signIn(stage);
  await stage.browser.open(`${sqlConsolePath}?table=mr_sample`);
  assert.match(stage.browser.answer.text, /SELECT \* FROM mr_sample LIMIT 50/);
  await stage.run('SELECT id, name, password FROM mr_sample');
  const { text, status, headers } = stage.browser.answer;
  assert.equal(status, 200);
  assert.match(text, /The first 500 rows; there are more/);
  assert.match(text, /&lt;b&gt;bold/, 'values are text');
  assert.doesNotMatch(text, /hidden-hash|<script/);
  assert.match(headers.join(' '), /frame-ancestors 'none'/);
  const { actor, action, outcome, detail } = stage.server.audited.at(-1) ?? {};
  assert.deepEqual([actor, action, outcome, detail?.['rows']], ['admin', 'read', 'success', 500]);
});

const refused = [
  'DELETE FROM mr_sample',
  "INSERT INTO mr_sample VALUES (1, 'x', 'y')",
  'DROP TABLE mr_sample',
  'CREATE TABLE other (id INTEGER)',
  "ATTACH DATABASE '/tmp/other.sqlite' AS other",
  'PRAGMA writable_schema = 1',
  "SELECT load_extension('/tmp/x')",
  'VACUUM INTO "/tmp/copy.sqlite"',
  'SELEC 1',
] as const;

for (const statement of refused) {
  test(`refused and audited: ${statement}`, async () => {
    await using stage = await startStage();
    await signIn(stage);
    await stage.run(statement);
    assert.equal(stage.browser.answer.status, 400, stage.browser.answer.text);
    assert.equal(stage.server.audited.at(-1)?.outcome, 'failure');
    await stage.run('SELECT COUNT(*) FROM mr_sample');
    assert.match(stage.browser.answer.text, /<td>501<\/td>/);
  });
}

test('a statement without an end is ended', async () => {
  await using stage = await startStage();
  await signIn(stage);
  await stage.run('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n');
  assert.equal(stage.browser.answer.status, 400);
});

for (const [name, password] of [
  ['ada', 'right'],
  ['boss@acme.com', 'theirs'],
  ['admin', 'wrong'],
] as const) {
  test(`${name} does not get in`, async () => {
    await using stage = await startStage();
    await signIn(stage, name, password);
    assert.equal(stage.browser.answer.status, 401);
    assert.doesNotMatch(stage.browser.answer.text, /mr_sample/);
  });
}

test('a form of another site runs nothing', async () => {
  await using stage = await startStage();
  await signIn(stage);
  const answer = await stage.browser.post(sqlConsolePath, { statement: 'SELECT 1234567 AS n', formToken: 'x' });
  assert.equal(answer.answer.status, 403);
  assert.doesNotMatch(answer.answer.text, /<td>/);
  const login = createTestBrowser(stage.server);
  await login.post(sqlConsolePath, { username: 'admin', password: 'admin-password' });
  assert.equal(login.answer.status, 403);
});

test('an old sign-in does not count', async () => {
  await using stage = await startStage();
  await signIn(stage);
  stage.server.clock.advance(14 * 60_000);
  await stage.browser.open(sqlConsolePath);
  assert.match(stage.browser.answer.text, /mr_sample/);
  stage.server.clock.advance(60_000);
  await stage.browser.open(sqlConsolePath);
  assert.doesNotMatch(stage.browser.answer.text, /mr_sample/);
});

test('nothing is there for other machines, behind proxies, by other names, and when it is off', async () => {
  await using stage = await startStage();
  for (const headers of [
    ['X-Forwarded-For', '10.0.0.1'],
    ['Forwarded', 'for=10.0.0.1'],
    ['Host', 'rebound.example'],
  ]) {
    assert.equal((await stage.server.call(sqlConsolePath, { headers })).status, 404, headers.join(': '));
  }
  assert.equal((await stage.server.call(sqlConsolePath, { peer: '192.168.1.7' })).status, 404);
  assert.equal((await stage.server.call(`/t/acme.com${sqlConsolePath}`)).status, 404);
  assert.equal((await stage.server.call(sqlConsolePath)).status, 200);
  await using off = await startStage('');
  const answer = await off.server.call(sqlConsolePath);
  assert.equal(answer.status, 404);
  assert.equal(headerOf(answer, 'Set-Cookie'), undefined);
});
