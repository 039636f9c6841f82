import process from 'node:process';
import { defineCommand } from 'citty';
import { databaseSharedDb, loadHomeConfig, usableConfig, type Config } from '#config';
import { createHome } from '#core';
import { coreSchema, migrate, openForeignDatabase, schemaStatus, type Database } from '#db';
import { artifactSchema } from '#server';

const options = {
  home: { type: 'string', description: 'Directory of the home', default: '.', valueHint: 'DIR' },
} as const;

const schemas = [coreSchema, artifactSchema];

const status = defineCommand({
  meta: {
    name: 'status',
    description: 'Shows which tables the shared database lacks.\n\nExample: millrace db status --home ./home\n',
  },
  args: options,
  async run({ args }) {
    await withShared(args.home, async (database) => {
      for (const { area, version, pending } of await schemaStatus(database, schemas)) {
        console.log(`${area}: version ${version}${pending.length === 0 ? '' : `, lacks ${pending.join(', ')}`}`);
        if (pending.length > 0) process.exitCode = 1;
      }
    });
  },
});

const bringUp = defineCommand({
  meta: {
    name: 'migrate',
    description:
      'Makes the tables that the shared database lacks; the embedded one does so by itself.\n\n' +
      'Example: millrace db migrate --home ./home\n',
  },
  args: options,
  async run({ args }) {
    await withShared(args.home, async (database) => {
      await migrate(database, schemas);
      console.log('the shared database is up to date');
    });
  },
});

/** `millrace db …`: the tables of the database that nodes share. */
export const dbCommand = defineCommand({
  meta: { name: 'db', description: 'Tables of the shared database\n\nExample: millrace db migrate --home ./home' },
  subCommands: { status, migrate: bringUp },
});

async function withShared(directory: string, work: (database: Database) => Promise<void>): Promise<void> {
  const home = createHome(directory);
  const loaded = await loadHomeConfig({
    home: home.directory,
    env: process.env,
    systemProperties: { 'carbon.home': home.directory },
  });
  const config = usableConfig(loaded);
  if (!config.has(databaseSharedDb.url)) {
    console.log('[database.shared_db] names no URL: the embedded database makes its tables by itself');
    return;
  }
  await using database = await openForeignDatabase({ home, ...factsOf(config) });
  await work(database);
}

function factsOf(config: Config): { url: string; username?: string; password?: string } {
  const { url, username, password } = databaseSharedDb;
  const user = config.get(username);
  const secret = config.get(password);
  return {
    url: config.get(url),
    ...(user !== undefined && { username: user }),
    ...(secret !== undefined && { password: secret }),
  };
}
