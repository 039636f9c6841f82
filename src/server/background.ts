import { hostname } from 'node:os';
import process from 'node:process';
import type { Config } from '#config';
import { systemClock, type Clock, type Home } from '#core';
import { createDatabaseLeases, createDataSources, openDatabase, type Database, type Schema } from '#db';
import { createBrokerStores, type ArtifactStates, type BackgroundServices } from '#mediation';
import { readBrokerFactories } from './broker-factories.ts';
import { readDatabase, readDataSources } from './data-sources.ts';
import type { OpenDatabases } from './open-databases.ts';

/** What artifacts remember, in the shared database. */
export const artifactSchema: Schema = {
  area: 'artifacts',
  migrations: [
    {
      name: 'states of artifacts',
      statements: ({ key }) => [
        `CREATE TABLE mr_artifact_state (name ${key} NOT NULL PRIMARY KEY, state ${key} NOT NULL)`,
      ],
    },
  ],
};

export interface BackgroundParts extends Pick<BackgroundServices, 'stores' | 'throttles'> {
  /** What the server is called beside its host name and `localhost`. */
  readonly serverNames: readonly string[];
  readonly openDatabases: OpenDatabases;
}

/** The services of artifacts that run by themselves. The shared database is opened when one of them needs it. */
export function openBackground(
  config: Config,
  home: Home,
  { serverNames, openDatabases, stores, throttles }: BackgroundParts,
): BackgroundServices & AsyncDisposable {
  const clock = systemClock;
  const dataSources = createDataSources(home, readDataSources(config), clock);
  const brokers = createBrokerStores(home, clock, readBrokerFactories(config));
  let opened: Promise<Database> | undefined;
  let listed: Disposable | undefined;
  const shared = (): Promise<Database> => {
    opened ??= openShared(config, home, clock).then((database) => {
      listed = openDatabases.add('shared_db', database);
      return database;
    });
    // A database that is not there yet is asked again at the next round.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  return {
    leases: async () => createDatabaseLeases(await shared(), clock, isGone),
    holder: holderName(process.pid),
    serverNames: [...serverNames, hostname(), 'localhost'],
    states: createStates(shared),
    stores,
    throttles,
    dataSources,
    brokers,
    async [Symbol.asyncDispose]() {
      await brokers[Symbol.asyncDispose]();
      await dataSources[Symbol.asyncDispose]();
      const database = await opened?.catch(() => undefined);
      listed?.[Symbol.dispose]();
      await database?.[Symbol.asyncDispose]();
    },
  };
}

/** A file of its own where nothing is shared: what else the server keeps does not wait for it. */
const alone = 'jdbc:h2:./data/artifacts';

/** The database that nodes share; one of the home when the configuration names none. */
function openShared(config: Config, home: Home, clock: Clock): Promise<Database> {
  return openDatabase({ home, clock, schemas: [artifactSchema], url: alone, ...readDatabase(config, 'shared_db') });
}

function createStates(shared: () => Promise<Database>): ArtifactStates {
  return {
    async read(name) {
      const row = await (await shared()).get('SELECT state FROM mr_artifact_state WHERE name = ?', [name]);
      return row?.['state'] as string | undefined;
    },
    async write(name, state) {
      await (
        await shared()
      ).transaction(async (transaction) => {
        const sql = 'UPDATE mr_artifact_state SET state = ? WHERE name = ?';
        const { changes } = await transaction.run(sql, [state, name]);
        if (changes > 0) return;
        await transaction.run('INSERT INTO mr_artifact_state (name, state) VALUES (?, ?)', [name, state]);
      });
    },
  };
}

function holderName(pid: number): string {
  return `${hostname()}/${pid}`;
}

/** A process of this machine that does not run any more holds nothing: its successor need not wait. */
function isGone(holder: string): boolean {
  const [host, pid] = holder.split('/');
  if (host !== hostname() || pid === undefined || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
