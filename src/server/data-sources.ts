import { database, datasource, type Config, type Reader } from '#config';
import { getLogger } from '#core';
import type { ConnectionFacts, PoolOptions } from '#db';

const log = getLogger('server');

/** URLs by the vendor's name in `type`, where no URL is written. */
const urls: Readonly<Record<string, (facts: { host: string; port: number | undefined; name: string }) => string>> = {
  mysql: ({ host, port = 3306, name }) => `jdbc:mysql://${host}:${port}/${name}`,
  mariadb: ({ host, port = 3306, name }) => `jdbc:mariadb://${host}:${port}/${name}`,
  postgre: ({ host, port = 5432, name }) => `jdbc:postgresql://${host}:${port}/${name}`,
  mssql: ({ host, port = 1433, name }) => `jdbc:sqlserver://${host}:${port};databaseName=${name}`,
  oracle: ({ host, port = 1521, name }) => `jdbc:oracle:thin:@${host}:${port}/${name}`,
  db2: ({ host, port = 50_000, name }) => `jdbc:db2://${host}:${port}/${name}`,
};

/** Options of a pool that have a counterpart; others of the original have none and change nothing. */
const poolReaders: Readonly<Record<string, (text: string) => Partial<PoolOptions>>> = {
  maxActive: (text) => ({ maxActive: Number(text) }),
  maxWait: (text) => ({ maxWait: Number(text) }),
  testOnBorrow: (text) => ({ testOnBorrow: text === 'true' }),
  validationQuery: (text) => ({ validationQuery: text }),
  validationInterval: (text) => ({ validationInterval: Number(text) }),
  defaultAutoCommit: (text) => ({ defaultAutoCommit: text === 'true' }),
  maxIdle: (text) => ({ maxIdle: Number(text) }),
  minEvictableIdleTimeMillis: (text) => ({ idleTimeout: Number(text) }),
};

/** Vendors by what the names of their JDBC drivers hold. */
const vendors: readonly (readonly [part: RegExp, type: string])[] = [
  [/mariadb/i, 'mariadb'],
  [/mysql/i, 'mysql'],
  [/postgresql/i, 'postgre'],
  [/sqlserver/i, 'mssql'],
  [/oracle/i, 'oracle'],
  [/db2/i, 'db2'],
];

/** The data sources that artifacts may name: each `[[datasource]]` by its id, each `[database.<name>]` by its name. */
export function readDataSources(config: Config): ReadonlyMap<string, ConnectionFacts> {
  const sources = new Map<string, ConnectionFacts>();
  for (const table of config.list(database)) {
    const url = writtenUrl(table) ?? table.get(database.url);
    if (url !== undefined) sources.set(table.name, factsOf(table, url));
  }
  for (const table of config.list(datasource)) {
    const id = table.get(datasource.id);
    const url = table.get(datasource.url);
    if (id === undefined || url === undefined) {
      log.warn({ at: table.at }, 'a [[datasource]] needs "id" and "url"; it is left out');
      continue;
    }
    sources.set(id.replace(/^jdbc\//, ''), {
      url,
      username: table.get(datasource.username),
      password: table.get(datasource.password),
      pool: readPool(table.bag(datasource.poolOptions), id),
    });
  }
  return sources;
}

/** How to reach the database `[database.<name>]`; undefined where the file names neither a URL nor a host for it. */
export function readDatabase(config: Config, name: string): ConnectionFacts | undefined {
  const table = config.named(database, name);
  const url = writtenUrl(table);
  return url === undefined ? undefined : factsOf(table, url);
}

/** Where a database is, as the file says it: defaults of the original's embedded files do not count. */
function writtenUrl(table: Reader): string | undefined {
  return table.has(database.url) ? table.get(database.url) : urlOf(table);
}

function factsOf(table: Reader, url: string): ConnectionFacts {
  const options = Object.entries(table.bag(database.properties));
  return {
    url: options.length === 0 ? url : withOptions(url, options),
    username: table.get(database.username),
    password: table.get(database.password),
    pool: {
      ...readPool(table.bag(database.poolOptions), table.name),
      ...defined({
        maxActive: table.get(database.maxActive),
        maxWait: table.milliseconds(database.maxWait),
        testOnBorrow: table.get(database.testOnBorrow),
        validationQuery: table.get(database.validationQuery),
        validationInterval: table.milliseconds(database.validationInterval),
        defaultAutoCommit: table.get(database.defaultAutoCommit),
      }),
    },
  };
}

function urlOf(table: Reader): string | undefined {
  const driver = table.get(database.driver) ?? '';
  const named = vendors.find(([part]) => part.test(driver))?.[1];
  const type = named !== undefined && !table.has(database.type) ? named : table.get(database.type);
  const host = table.get(database.hostname);
  const make = type === undefined ? undefined : urls[type];
  if (!make || host === undefined) return undefined;
  const name = (type === 'oracle' ? table.get(database.sid) : undefined) ?? table.get(database.name) ?? table.name;
  return make({ host, port: table.get(database.port), name });
}

function withOptions(url: string, options: readonly (readonly [string, string])[]): string {
  const separator = /^jdbc:(?:h2|sqlserver|db2):/.test(url) ? ';' : '&';
  const first = separator === '&' ? (url.includes('?') ? '&' : '?') : ';';
  return `${url}${first}${options.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(separator)}`;
}

function readPool(bag: Readonly<Record<string, string>>, name: string): PoolOptions {
  let pool: PoolOptions = {};
  for (const [option, text] of Object.entries(bag)) {
    const camel = option.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const read = poolReaders[camel];
    if (read) pool = { ...pool, ...read(text) };
    else log.warn({ database: name, option }, 'the pool option has no counterpart; it changes nothing');
  }
  return pool;
}

function defined<T extends object>(values: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
