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
      assert.match(before.output, /core: version 0, lacks change log and leases/);
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
      for (let wait = 0; wait < 100 && holder === undefined; wait++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        holder = (await database.get("SELECT holder FROM mr_lease WHERE name = 'task:T' AND expires > 0"))?.['holder'];
      }
      assert.match(String(holder), new RegExp(`/${process.pid}$`));
    }
    // A server that stops gives its leases back.
    assert.equal((await database.get("SELECT expires FROM mr_lease WHERE name = 'task:T'"))?.['expires'], 0);
  },
);
