import process from 'node:process';
import { defineCommand } from 'citty';
import { loadHomeConfig, usableConfig } from '#config';
import { createHome } from '#core';
import { migrate, openForeignDatabase, schemaStatus, type Database } from '#db';
import { ownDatabases, type OwnDatabase } from '#server';

const options = {
  home: { type: 'string', description: 'Directory of the home', default: '.', valueHint: 'DIR' },
} as const;

const status = defineCommand({
  meta: {
    name: 'status',
    description:
      'Shows which tables the databases of the configuration and of user stores lack.\n\n' +
      'Example: millrace db status --home ./home\n',
  },
  args: options,
  async run({ args }) {
    await withEach(args.home, async (database, { name, schemas }) => {
      for (const { area, version, pending } of await schemaStatus(database, schemas)) {
        const lacks = pending.length === 0 ? '' : `, lacks ${pending.join(', ')}`;
        console.log(`${name}: ${area}: version ${version}${lacks}`);
        if (pending.length > 0) process.exitCode = 1;
      }
    });
  },
});

const bringUp = defineCommand({
  meta: {
    name: 'migrate',
    description:
      'Makes the tables that the databases lack; the embedded ones of the home do so by themselves. Tables whose ' +
      'names do not begin with mr_ are neither read nor changed.\n\n' +
      'Example: millrace db migrate --home ./home\n',
  },
  args: options,
  async run({ args }) {
    await withEach(args.home, async (database, { name, schemas }) => {
      await migrate(database, schemas);
      console.log(`${name} is up to date`);
    });
  },
});

/** `millrace db …`: the tables of the databases that nodes share. */
export const dbCommand = defineCommand({
  meta: { name: 'db', description: 'Tables of the databases\n\nExample: millrace db migrate --home ./home' },
  subCommands: { status, migrate: bringUp },
});

async function withEach(
  directory: string,
  work: (database: Database, facts: OwnDatabase) => Promise<void>,
): Promise<void> {
  const home = createHome(directory);
  const loaded = await loadHomeConfig({
    home: home.directory,
    env: process.env,
    systemProperties: { 'carbon.home': home.directory },
  });
  const databases = await ownDatabases(usableConfig(loaded), home);
  if (databases.length === 0) {
    console.log('the configuration names no database: the embedded ones make their tables by themselves');
  }
  for (const each of databases) {
    await using database = await openForeignDatabase({ home, ...each.facts });
    await work(database, each);
  }
}
