import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { it } from 'node:test';
import { createHome } from '#core';
import { openForeignDatabase } from '#db';
import { startProgram } from '../helpers/program.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';
import { freePorts, startTemporaryServer } from '../helpers/temporary-server.ts';
import { until } from '../helpers/until.ts';

const projectRoot = join(import.meta.dirname, '../..');
const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

async function millrace(home: string, ...words: string[]): Promise<{ code: number | NodeJS.Signals; output: string }> {
  const args = [join(projectRoot, 'src/cli/main.ts'), ...words, '--home', home];
  const program = startProgram(process.execPath, args, { cwd: projectRoot, env: process.env });
  const code = await program.ended();
  return { code, output: program.output() };
}

it(
  'tables of a shared database are made by the command, and tasks run under its leases',
  { skip: postgresqlMissing },
  async () => {
    await using peer = await startPostgresql();
    const shared = `[database.shared_db]
url = "${peer.url}"
username = "${peer.username}"
password = "${peer.password}"
`;
    const home = mkdtempSync(join(tmpdir(), 'millrace-db-command-'));
    try {
      mkdirSync(join(home, 'conf'));
      writeFileSync(join(home, 'conf/deployment.toml'), shared);
      const before = await millrace(home, 'db', 'status');
      assert.equal(before.code, 1);
      assert.match(before.output, /database\.shared_db: core: version 0, lacks change log and leases/);
      assert.equal((await millrace(home, 'db', 'migrate')).code, 0);
      assert.equal((await millrace(home, 'db', 'status')).code, 0);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
    const task = `<task ${synapse} name="T"><trigger interval="1"/><property name="message"><m/></property></task>`;
    await using database = await openForeignDatabase({ home: createHome(tmpdir()), ...peer });
    {
      await using _server = await startTemporaryServer({ 'artifacts/tasks/T.xml': task }, `${freePorts}${shared}`);
      let holder: unknown;
      await until('the lease is taken', async () => {
        holder = (await database.get("SELECT holder FROM mr_lease WHERE name = 'task:T' AND expires > 0"))?.['holder'];
        return holder !== undefined;
      });
      assert.match(String(holder), new RegExp(`/${process.pid}$`));
    }
    // A server that stops gives its leases back.
    assert.equal((await database.get("SELECT expires FROM mr_lease WHERE name = 'task:T'"))?.['expires'], 0);
  },
);

/** Some tables of the originals, as their scripts for this database make them. */
const foreign = [
  'CREATE TABLE idn_oauth2_access_token (token_id VARCHAR(255) PRIMARY KEY, access_token VARCHAR(2048))',
  'CREATE TABLE um_user (um_id INTEGER PRIMARY KEY, um_user_name VARCHAR(255) NOT NULL)',
  'CREATE TABLE am_api (api_id INTEGER PRIMARY KEY, api_name VARCHAR(200))',
  'CREATE TABLE reg_resource (reg_path_id INTEGER, reg_name VARCHAR(256))',
  "INSERT INTO idn_oauth2_access_token VALUES ('t', 'theirs')",
  "INSERT INTO um_user VALUES (1, 'their-admin')",
  "INSERT INTO am_api VALUES (1, 'Orders')",
  "INSERT INTO reg_resource VALUES (1, 'theirs')",
] as const;

/** Every column of the tables that are not ours, and every row of those. */
async function foreignState(database: Awaited<ReturnType<typeof openForeignDatabase>>): Promise<unknown> {
  const columns = await database.all(
    "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' " +
      "AND table_name NOT LIKE 'mr\\_%' ORDER BY table_name, column_name",
  );
  const names = [...new Set(columns.map((row) => String(row['table_name'])))];
  const rows = await Promise.all(names.map(async (name) => await database.all(`SELECT * FROM ${name}`)));
  return { columns, rows };
}

it(
  'every database of a home is brought up to date, and nothing of the originals in it is touched',
  { skip: postgresqlMissing },
  async () => {
    await using peer = await startPostgresql();
    await using database = await openForeignDatabase({ home: createHome(tmpdir()), ...peer });
    for (const statement of foreign) await database.run(statement);
    await database.run('CREATE DATABASE people');
    const before = await foreignState(database);
    const home = mkdtempSync(join(tmpdir(), 'millrace-db-command-'));
    try {
      mkdirSync(join(home, 'conf'));
      mkdirSync(join(home, 'userstores'));
      const { hostname, port } = new URL(peer.url.replace('jdbc:', ''));
      writeFileSync(
        join(home, 'conf/deployment.toml'),
        `[database.apim_db]
type = "postgre"
hostname = "${hostname}"
port = ${port}
name = "postgres"
username = "${peer.username}"
password = "${peer.password}"
[super_admin]
username = "admin"
password = "admin-password"
`,
      );
      const people = peer.url.replace('/postgres', '/people');
      writeFileSync(
        join(home, 'userstores/PEOPLE.xml'),
        `<UserStoreManager class="org.wso2.carbon.user.core.jdbc.UniqueIDJDBCUserStoreManager">
  <Property name="DomainName">PEOPLE</Property><Property name="url">${people}</Property>
  <Property name="userName">${peer.username}</Property><Property name="password">unused</Property>
</UserStoreManager>`,
      );
      const lacking = await millrace(home, 'db', 'status');
      assert.equal(lacking.code, 1);
      assert.match(lacking.output, /database\.apim_db: identity\.oauth: version 0, lacks/);
      assert.match(lacking.output, /user store PEOPLE: identity\.users: version 0, lacks/);
      const refused = await millrace(home, 'user', 'list');
      assert.equal(refused.code, 1);
      assert.match(refused.output, /lacks tables of .*millrace db migrate/s);
      assert.equal((await millrace(home, 'db', 'migrate')).code, 0);
      const status = await millrace(home, 'db', 'status');
      assert.equal(status.code, 0, status.output);
      assert.doesNotMatch(status.output, /lacks/);
      // Used after that, too, the server's tables stand beside theirs.
      const made = await millrace(home, 'client', 'create', 'shop', '--id', 'shop');
      assert.equal(made.code, 0, made.output);
      assert.equal((await database.get("SELECT COUNT(*) AS n FROM mr_client WHERE id = 'shop'"))?.['n'], 1);
      assert.deepEqual(await foreignState(database), before);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
