import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import { jdbcOption, type JdbcUrl } from '#core/java';
import type { SqlRow, SqlValue } from '../database.ts';
import { driverMissing, type ConnectOptions, type Dialect } from '../dialects/dialect.ts';
import { numberPlaceholders } from '../sql-text.ts';
import { connectFailure, type QueryAnswer, type RemoteConnection, type RemoteDriver } from './connection.ts';

type ClientClass = new (config: ClientConfig) => Client;

/** Object identifiers of the types that are not given as text. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  [17, (text) => Buffer.from(text.replace(/^\\x/, ''), 'hex')],
  [20, integer],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
]);

/** Own tables number their rows in the first column, which PostgreSQL gives back only when asked. */
const ownInsert = /^\s*insert\s+into\s+mr_\w+/i;

/** Connects to PostgreSQL with `pg`. */
export async function openPostgresql(options: ConnectOptions, dialect: Dialect): Promise<RemoteDriver> {
  const Client = await loadClient(dialect);
  const { url, username, password } = options;
  const config: ClientConfig = {
    host: url.host,
    port: url.port,
    database: url.database,
    user: username ?? jdbcOption(url, 'user') ?? '',
    password: password ?? jdbcOption(url, 'password') ?? '',
    ssl: tlsOf(url),
    connectionTimeoutMillis: (Number(jdbcOption(url, 'connectTimeout')) || 10) * 1000,
    keepAlive: true,
    application_name: jdbcOption(url, 'ApplicationName') ?? 'millrace',
    types: { getTypeParser: (type: number) => parsers.get(type) ?? ((text: string) => text) },
  };
  const schema = jdbcOption(url, 'currentSchema');
  return {
    async connect() {
      const client = new Client(config);
      const connection = new PostgresqlConnection(client);
      try {
        await client.connect();
        if (schema !== undefined) await client.query('SELECT set_config($1, $2, false)', ['search_path', schema]);
        return connection;
      } catch (error) {
        throw connectFailure(error, `${url.host}:${url.port}/${url.database}`);
      }
    },
    prepare: numberPlaceholders,
    validationQuery: 'SELECT 1',
    begin: 'BEGIN',
    isConstraint: (error) => String((error as { code?: unknown }).code).startsWith('23'),
  };
}

async function loadClient(dialect: Dialect): Promise<ClientClass> {
  try {
    return (await import('pg')).default.Client;
  } catch (error) {
    throw driverMissing(dialect, error);
  }
}

class PostgresqlConnection implements RemoteConnection {
  readonly #client: Client;
  isBroken = false;

  constructor(client: Client) {
    this.#client = client;
    const lost = (): void => {
      this.isBroken = true;
    };
    // Without a listener a lost connection would end the process; the statement that meets it fails by itself.
    client.on('error', lost);
    client.on('end', lost);
  }

  async query(sql: string, values: readonly SqlValue[]): Promise<QueryAnswer> {
    const returnsId = ownInsert.test(sql) && !/\breturning\b/i.test(sql);
    const answer = await this.#client.query(
      returnsId ? `${sql} RETURNING *` : sql,
      values.length > 0 ? [...values] : undefined,
    );
    // Several statements without values give several answers, of which the last one counts.
    const last = Array.isArray(answer) ? (answer as (typeof answer)[]).at(-1) : answer;
    const rows = (last?.rows ?? []) as SqlRow[];
    const first = returnsId ? Object.values(rows[0] ?? {})[0] : undefined;
    return {
      rows: returnsId ? [] : rows,
      changes: /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(last?.command ?? '') ? (last?.rowCount ?? 0) : 0,
      insertId: typeof first === 'number' ? first : 0,
    };
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

function integer(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** `sslmode` and `ssl` as the JDBC driver reads them: `require` encrypts, `verify-*` also checks the certificate. */
function tlsOf(url: JdbcUrl): false | TlsOptions {
  const mode = jdbcOption(url, 'sslmode') ?? (jdbcOption(url, 'ssl') === 'true' ? 'verify-full' : 'disable');
  if (mode === 'disable' || mode === 'allow' || mode === 'prefer') return false;
  return { rejectUnauthorized: mode.startsWith('verify') };
}
