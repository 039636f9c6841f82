import type * as Mysql from 'mysql2/promise';
import type { Connection, ConnectionOptions, ResultSetHeader } from 'mysql2/promise';
import { jdbcOption, type JdbcUrl } from '#core/java';
import type { SqlRow, SqlValue } from '../database.ts';
import { driverMissing, type ConnectOptions, type Dialect } from '../dialects/dialect.ts';
import { connectFailure, type QueryAnswer, type RemoteConnection, type RemoteDriver } from './connection.ts';

/** Numbers of MySQL's errors about constraints: duplicates, missing values, foreign keys, checks. */
const constraintErrors = new Set([1022, 1048, 1062, 1169, 1216, 1217, 1451, 1452, 1557, 3819, 4025]);

/** Connects to MySQL or MariaDB with `mysql2`. */
export async function openMysql(options: ConnectOptions, dialect: Dialect): Promise<RemoteDriver> {
  const { createConnection } = await load(dialect);
  const { url, username, password } = options;
  const config: ConnectionOptions = {
    host: url.host,
    port: url.port,
    user: username ?? jdbcOption(url, 'user') ?? '',
    password: password ?? jdbcOption(url, 'password') ?? '',
    ...(url.database !== '' && { database: url.database }),
    ...tlsOf(url),
    connectTimeout: Number(jdbcOption(url, 'connectTimeout')) || 10_000,
    charset: 'utf8mb4',
    dateStrings: true,
    supportBigNumbers: true,
    multipleStatements: jdbcOption(url, 'allowMultiQueries') === 'true',
    // Found rows count as updated ones, as with the JDBC driver.
    flags: ['FOUND_ROWS'],
    enableKeepAlive: true,
  };
  return {
    async connect() {
      try {
        return new MysqlConnection(await createConnection(config));
      } catch (error) {
        throw connectFailure(error, `${url.host}:${url.port}/${url.database}`);
      }
    },
    prepare: (sql) => sql,
    validationQuery: 'SELECT 1',
    begin: 'START TRANSACTION',
    isConstraint: (error) => constraintErrors.has(Number((error as { errno?: unknown }).errno)),
  };
}

async function load(dialect: Dialect): Promise<typeof Mysql> {
  try {
    return await import('mysql2/promise');
  } catch (error) {
    throw driverMissing(dialect, error);
  }
}

class MysqlConnection implements RemoteConnection {
  readonly #connection: Connection;
  isBroken = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    const lost = (): void => {
      this.isBroken = true;
    };
    connection.on('error', lost);
    (connection as unknown as { connection: { on(event: string, action: () => void): void } }).connection.on(
      'end',
      lost,
    );
  }

  async query(sql: string, values: readonly SqlValue[]): Promise<QueryAnswer> {
    // Values go with a prepared statement, never into the text; control statements cannot be prepared.
    const [result] =
      values.length > 0
        ? await this.#connection.execute(sql, values.map(bound) as never)
        : await this.#connection.query(sql);
    if (!isHeader(result)) return { rows: result as unknown as SqlRow[], changes: 0, insertId: 0 };
    return { rows: [], changes: result.affectedRows, insertId: result.insertId };
  }

  async close(): Promise<void> {
    if (this.isBroken) this.#connection.destroy();
    else await this.#connection.end();
  }
}

function isHeader(result: unknown): result is ResultSetHeader {
  return typeof result === 'object' && result !== null && 'affectedRows' in result;
}

function bound(value: SqlValue): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** `useSSL`, `requireSSL` and `sslMode`; without any of them the connection is plain. */
function tlsOf(url: JdbcUrl): Pick<ConnectionOptions, 'ssl'> {
  const mode = (jdbcOption(url, 'sslMode') ?? '').toUpperCase().replaceAll('-', '_');
  const verifies = mode.startsWith('VERIFY') || jdbcOption(url, 'verifyServerCertificate') === 'true';
  const wanted = verifies || mode === 'REQUIRED' || mode === 'TRUST' || jdbcOption(url, 'requireSSL') === 'true';
  return wanted ? { ssl: { rejectUnauthorized: verifies } } : {};
}
