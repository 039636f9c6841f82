import { loadConfig, type Config } from '#config';
import { createHome, createTestClock } from '#core';
import { createDataSources, openForeignDatabase, type Database } from '#db';
import { messageOf } from '#errors';
import { readDatabase, readDataSources } from '../../src/server/data-sources.ts';
import { openServerDatabase } from '../../src/server/server-database.ts';
import { startSmallPostgresql } from '../helpers/small-postgresql.ts';
import type { EffectRow } from './effect-row.ts';

type Clock = ReturnType<typeof createTestClock>;
type Use = (database: Database, clock: Clock) => Promise<unknown>;

/** Stands in files for the address of the server that a row starts. */
const place = '127.0.0.1:1';
const url = `url = "jdbc:postgresql://${place}/shop"\n`;

const once: Use = async (database) => void (await database.all('SELECT 1'));
const twice: Use = async (database) => {
  await database.all('SELECT 1');
  await database.all('SELECT 2');
};
const together: Use = async (database) =>
  void (await Promise.all([database.all('SELECT slow'), database.all('SELECT 2')]));

/** What comes of a second statement a second after a first that takes long began on the only connection. */
const waiting: Use = async (database, clock) => {
  const first = database.all('SELECT slow');
  const second = Promise.resolve(database.all('SELECT 2')).then(() => 'answered', messageOf);
  clock.advance(1000);
  await first;
  return second;
};

/** What a server got to hear when the database of the name was used, and on how many connections. */
function heard(name: string, use: Use) {
  return async (_: Config, text: string): Promise<unknown> => {
    await using server = await startSmallPostgresql({ slow: { start: 'SELECT slow', milliseconds: 50 } });
    const { config } = loadConfig({ text: text.replaceAll(place, `127.0.0.1:${server.port}`) });
    const clock = createTestClock();
    let outcome: unknown;
    {
      await using sources = createDataSources(createHome('.'), readDataSources(config), clock);
      outcome = await use(await sources.named(name), clock);
    }
    return [outcome, server.received, server.connections];
  };
}

/** What became of opening the server's own database: of the tables that it lacks, or of its address. */
async function opened(config: Config): Promise<string> {
  try {
    await using database = await openServerDatabase(config, createHome('/nonexistent'), []);
    return database.dialect;
  } catch (error) {
    return `${messageOf(error)} ${(error as { detail?: string }).detail ?? ''}`;
  }
}

/** What became of connecting to the database that nodes share. */
async function connected(config: Config): Promise<string> {
  const facts = readDatabase(config, 'shared_db');
  if (!facts) return 'the file of the home';
  try {
    await using database = await openForeignDatabase({ home: createHome('/nonexistent'), ...facts });
    return JSON.stringify(await database.all('SELECT 1 AS one'));
  } catch (error) {
    return `${messageOf(error)} ${(error as { detail?: string }).detail ?? ''}`;
  }
}

interface Option {
  readonly name: string;
  readonly values: readonly [EffectRow['first'], EffectRow['first']];
  readonly use: Use;
  readonly given?: string;
}

const account: readonly Option[] = [
  { name: 'username', values: ['ada', 'grace'], use: once },
  { name: 'password', values: ['first', 'second'], use: once },
];
const tests = 'pool_options.testOnBorrow = true\n';
const always = 'pool_options.validationInterval = 0\n';
const pool: readonly Option[] = [
  { name: 'validationQuery', values: ['SELECT 7', 'SELECT 8'], use: twice, given: `${tests}${always}` },
  { name: 'pool_options.maxActive', values: [1, 2], use: together },
  { name: 'pool_options.maxWait', values: [10, 60_000], use: waiting, given: 'pool_options.maxActive = 1\n' },
  { name: 'pool_options.testOnBorrow', values: [true, false], use: twice, given: always },
  { name: 'pool_options.validationInterval', values: [0, 60_000], use: twice, given: tests },
  { name: 'pool_options.defaultAutoCommit', values: [true, false], use: once },
];

/** The beginning of a section, with the account that the server's own database must have. */
function headerOf(name: string, besides = ''): string {
  const needed = name === 'apim_db' ? ['username', 'password'].filter((each) => each !== besides) : [];
  return `[database.${name}]\n${needed.map((each) => `${each} = "x"\n`).join('')}`;
}

const rowsOf = (name: string, options: readonly Option[]): readonly EffectRow[] =>
  options.map(({ name: option, values: [first, second], use, given = '' }) => ({
    key: `database.${name}.${option}`,
    first,
    second,
    given: `${headerOf(name, option)}${url}${given}`,
    observe: heard(name, use),
  }));

const byHost = (name: string): string => `${headerOf(name)}hostname = "127.0.0.1"\nport = 1\n`;

export const rows: readonly EffectRow[] = [
  ...rowsOf('shop', [
    ...account,
    ...pool,
    { name: 'db_props.ApplicationName', values: ['one', 'two'], use: once },
    { name: 'pool_options.maxIdle', values: [0, 5], use: twice },
  ]),
  ...rowsOf('apim_db', [...account, ...pool]),
  ...rowsOf('shared_db', account),
  {
    key: 'database.shop.driver',
    first: 'org.postgresql.Driver',
    second: 'oracle.jdbc.OracleDriver',
    given: byHost('shop'),
    observe: async (config) => {
      await using sources = createDataSources(createHome('.'), readDataSources(config));
      return await sources.named('shop').then(() => 'there is a driver', messageOf);
    },
  },
  {
    key: 'database.shop.sid',
    first: 'ONE',
    second: 'TWO',
    given: `[database.shop]\ntype = "oracle"\nhostname = "127.0.0.1"\n`,
    observe: (config) => readDataSources(config).get('shop')?.url,
  },
  {
    key: 'database.apim_db.url',
    first: 'jdbc:h2:mem:own',
    second: 'jdbc:postgresql://127.0.0.1:1/apim',
    given: headerOf('apim_db'),
    observe: opened,
  },
  { key: 'database.apim_db.type', first: 'postgre', second: 'oracle', given: byHost('apim_db'), observe: opened },
  {
    key: 'database.apim_db.hostname',
    first: '127.0.0.1',
    second: '127.0.0.2',
    given: `${headerOf('apim_db')}type = "postgre"\nport = 1\n`,
    observe: opened,
  },
  {
    key: 'database.apim_db.port',
    first: 1,
    second: 2,
    given: `${headerOf('apim_db')}type = "postgre"\nhostname = "127.0.0.1"\n`,
    observe: opened,
  },
  {
    key: 'database.shared_db.url',
    first: 'jdbc:h2:mem:own',
    second: 'jdbc:postgresql://127.0.0.1:1/shared',
    observe: connected,
  },
  {
    key: 'database.shared_db.type',
    first: 'postgre',
    second: 'oracle',
    given: byHost('shared_db'),
    observe: connected,
  },
  {
    key: 'database.local.url',
    first: 'jdbc:h2:mem:own',
    second: 'jdbc:postgresql://127.0.0.1:1/local',
    observe: async (config) => {
      await using sources = createDataSources(createHome('.'), readDataSources(config));
      const database = await sources.named('local');
      return await Promise.resolve(database.all('SELECT 1')).then((found) => found.length, messageOf);
    },
  },
  ...(['username', 'password', 'pool_options.maxIdle'] as const).map((name): EffectRow => ({
    key: `datasource.${name}`,
    first: name === 'pool_options.maxIdle' ? 0 : 'one',
    second: name === 'pool_options.maxIdle' ? 5 : 'two',
    given: `[[datasource]]\nid = "shop"\n${url}`,
    observe: heard('shop', twice),
  })),
];
