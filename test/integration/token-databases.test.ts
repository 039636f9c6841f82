import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { createHome } from '#core';
import { coreSchema, migrate, openForeignDatabase, openSqlite, type Database } from '#db';
import { oauthSchema } from '#identity';
import { tokensContract } from '../contract/tokens.ts';
import type { DatabasePeer } from '../peers/database-peer.ts';
import { mariadbMissing, startMariadb } from '../peers/mariadb.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';

/** Two views of one database, opened once; the same one twice where two in one process would wait for each other. */
function viewsOf(open: () => Promise<Database>, count = 2) {
  let views: Promise<readonly [Database, Database]> | undefined;
  const make = async (): Promise<readonly [Database, Database]> => {
    const first = await open();
    const made = [first, count === 1 ? first : await open()] as const;
    await migrate(made[0], [coreSchema, oauthSchema]);
    return made;
  };
  return {
    get: (): Promise<readonly [Database, Database]> => (views ??= make()),
    async close(): Promise<void> {
      for (const view of new Set(await views)) await view[Symbol.asyncDispose]();
    },
  };
}

describe('the embedded database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-tokens-'));
  const views = viewsOf(async () => openSqlite({ path: join(directory, 'tokens.sqlite') }), 1);
  after(async () => {
    await views.close();
    rmSync(directory, { recursive: true, force: true });
  });
  tokensContract('embedded', views.get);
});

const peers = [
  ['PostgreSQL', postgresqlMissing, startPostgresql],
  ['MariaDB', mariadbMissing, startMariadb],
] as const;

for (const [name, missing, start] of peers) {
  describe(name, { skip: missing }, () => {
    let peer: DatabasePeer | undefined;
    const views = viewsOf(() => {
      if (!peer) throw new Error(`${name} was not started`);
      return openForeignDatabase({ home: createHome(tmpdir()), ...peer });
    });
    before(async () => {
      peer = await start();
    });
    after(async () => {
      await views.close();
      await peer?.[Symbol.asyncDispose]();
    });
    tokensContract(name, views.get);
  });
}
