import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { createHome } from '#core';
import { coreSchema, createDatabaseLeases, migrate, openForeignDatabase, openSqlite, type Database } from '#db';
import { databaseContract } from '../contract/database.ts';
import { leasesContract } from '../contract/leases.ts';
import type { DatabasePeer } from '../peers/database-peer.ts';
import { mariadbMissing, startMariadb } from '../peers/mariadb.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';

describe('the embedded database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-db-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  databaseContract('embedded', async () => openSqlite({ path: join(directory, 'contract.sqlite') }));
});

const peers = [
  ['PostgreSQL', postgresqlMissing, startPostgresql],
  ['MariaDB', mariadbMissing, startMariadb],
] as const;

for (const [name, missing, start] of peers) {
  describe(name, { skip: missing }, () => {
    let peer: DatabasePeer | undefined;
    const opened: Database[] = [];
    const open = (): Promise<Database> => {
      if (!peer) throw new Error(`${name} was not started`);
      return openForeignDatabase({ home: createHome(tmpdir()), ...peer });
    };
    before(async () => {
      peer = await start();
    });
    after(async () => {
      for (const database of opened) await database[Symbol.asyncDispose]();
      await peer?.[Symbol.asyncDispose]();
    });
    databaseContract(name, open);
    leasesContract(name, async (clock) => {
      const views = [await open(), await open()] as const;
      opened.push(...views);
      await migrate(views[0], [coreSchema], clock);
      await views[0].run('DELETE FROM mr_lease');
      return [createDatabaseLeases(views[0], clock), createDatabaseLeases(views[1], clock)];
    });
  });
}
