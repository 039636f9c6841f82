import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, type Home, systemClock } from '#core';
import { jdbcOption, type JdbcUrl, parseJdbcUrl } from '#core/java';
import { MillraceError } from '#errors';
import { coreSchema } from './core-schema.ts';
import type { Database } from './database.ts';
import { driverUnwritten } from './dialects/dialect.ts';
import { type Dialect, dialects } from './dialects/index.ts';
import { migrate, type Schema, schemaStatus } from './migrations.ts';
import type { PoolOptions } from './pool.ts';
import { openSqlite } from './sqlite/database.ts';

export interface OpenOptions {
  /** Resolves the paths of embedded databases. */
  readonly home: Home;
  /** The embedded database `data/millrace.sqlite` when absent. */
  readonly url?: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The tables that are needed besides the common ones. */
  readonly schemas?: readonly Schema[];
  /** How connections to a server are pooled. */
  readonly pool?: PoolOptions | undefined;
  readonly clock?: Clock;
}

/**
 * Opens somebody else's database, in which no table is made or looked for. Several connections to one embedded
 * database share it by its path; whoever opens it twice opens it twice.
 *
 * @throws MillraceError `MR_DB_DRIVER`, `MR_DB_MISSING`, `MR_JDBC_URL`
 */
export async function openForeignDatabase(options: OpenOptions): Promise<Database> {
  return (await connect(options, options.clock ?? systemClock)).database;
}

/**
 * Opens a database and makes sure that its tables are there: on the embedded one by migrating, on others by checking.
 *
 * @throws MillraceError `MR_DB_DRIVER` naming the package to install, `MR_DB_SCHEMA_PENDING`, `MR_DB_MISSING`,
 *   `MR_JDBC_URL`, or an error of `migrate`
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { clock = systemClock } = options;
  const schemas = [coreSchema, ...(options.schemas ?? [])];
  const { database, dialect } = await connect(options, clock);
  try {
    if (dialect.migratesItself) await migrate(database, schemas, clock);
    else await refusePending(database, schemas);
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

async function connect(options: OpenOptions, clock: Clock): Promise<{ database: Database; dialect: Dialect }> {
  const url = options.url === undefined ? undefined : parseJdbcUrl(options.url);
  if (!url || (url.vendor === 'h2' && url.mode !== 'tcp')) {
    const path = url ? embeddedPath(url, options.home) : join(options.home.data, 'millrace.sqlite');
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    const busyTimeout = Number(url && jdbcOption(url, 'LOCK_TIMEOUT')) || 5000;
    return { database: openSqlite({ path, busyTimeout, clock }), dialect: dialects.sqlite };
  }
  if (url.vendor === 'h2') {
    throw new MillraceError({
      code: 'MR_DB_DRIVER',
      message: 'An H2 server cannot be used; name a file (jdbc:h2:./database/NAME) or another database',
    });
  }
  const dialect = dialects[url.vendor];
  if (!dialect.connect) throw driverUnwritten(dialect);
  const { username, password, pool } = options;
  const database = await dialect.connect({
    url,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(pool && { pool }),
    clock,
  });
  return { database, dialect };
}

/**
 * The file that stands in for an H2 database: beside its own, which is never opened, with the ending `.sqlite`.
 *
 * @throws MillraceError `MR_DB_MISSING` when the URL says `IFEXISTS=TRUE` and there is no such file
 */
export function embeddedPath(url: JdbcUrl, home: Home): string {
  if (url.mode === 'mem') return ':memory:';
  const path = `${home.resolve(url.database.replace(/\.(?:mv|h2)\.db$/, ''))}.sqlite`;
  if (/^true$/i.test(jdbcOption(url, 'IFEXISTS') ?? '') && !existsSync(path)) {
    throw new MillraceError({ code: 'MR_DB_MISSING', message: `There is no database ${path}` });
  }
  return path;
}

async function refusePending(database: Database, schemas: readonly Schema[]): Promise<void> {
  const pending = (await schemaStatus(database, schemas)).filter((status) => status.pending.length > 0);
  if (pending.length === 0) return;
  const areas = pending.map(({ area, pending: steps }) => `${area} (${steps.length})`).join(', ');
  throw new MillraceError({
    code: 'MR_DB_SCHEMA_PENDING',
    message: `The database lacks tables of ${areas}; run: millrace db migrate`,
  });
}
