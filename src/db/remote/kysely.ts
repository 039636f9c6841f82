import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import { MillraceError } from '#errors';
import type { SqlValue } from '../database.ts';
import type { DialectName } from '../dialects/dialect.ts';
import type { Pool } from '../pool.ts';
import { statementFailure, type RemoteConnection, type RemoteDriver } from './connection.ts';

const postgres = {
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (database: Kysely<unknown>) => new PostgresIntrospector(database),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const mysql = {
  createAdapter: () => new MysqlAdapter(),
  createIntrospector: (database: Kysely<unknown>) => new MysqlIntrospector(database),
  createQueryCompiler: () => new MysqlQueryCompiler(),
};
const builders: Partial<Record<DialectName, Omit<Dialect, 'createDriver'>>> = {
  postgresql: postgres,
  mysql,
  mariadb: mysql,
};

/** The query builder on connections of the pool. Loaded on demand. */
export function createQueries(
  dialect: DialectName,
  driver: RemoteDriver,
  pool: Pool<RemoteConnection>,
): Kysely<unknown> {
  const builder = builders[dialect];
  if (!builder) throw new MillraceError({ code: 'MR_DB_QUERIES', message: `No query builder knows ${dialect}` });
  return new Kysely<unknown>({ dialect: { ...builder, createDriver: () => new PoolDriver(driver, pool) } });
}

/** Borrows a connection for each query or transaction of the builder. */
class PoolDriver implements Driver {
  readonly #driver: RemoteDriver;
  readonly #pool: Pool<RemoteConnection>;

  constructor(driver: RemoteDriver, pool: Pool<RemoteConnection>) {
    this.#driver = driver;
    this.#pool = pool;
  }

  async init(): Promise<void> {
    // Connections are made when they are needed.
  }

  acquireConnection(): Promise<BorrowedConnection> {
    return new Promise((resolve, reject) => {
      const work = (connection: RemoteConnection): Promise<void> => {
        const { promise, resolve: giveBack } = Promise.withResolvers<void>();
        resolve(new BorrowedConnection(connection, this.#driver, giveBack));
        return promise;
      };
      this.#pool.use(work).catch(reject);
    });
  }

  async beginTransaction(connection: BorrowedConnection): Promise<void> {
    await connection.run(this.#driver.begin);
  }

  async commitTransaction(connection: BorrowedConnection): Promise<void> {
    await connection.run('COMMIT');
  }

  async rollbackTransaction(connection: BorrowedConnection): Promise<void> {
    await connection.run('ROLLBACK');
  }

  async releaseConnection(connection: BorrowedConnection): Promise<void> {
    connection.giveBack();
  }

  async destroy(): Promise<void> {
    // The connections belong to the database.
  }
}

class BorrowedConnection implements DatabaseConnection {
  readonly giveBack: () => void;
  readonly #connection: RemoteConnection;
  readonly #driver: RemoteDriver;

  constructor(connection: RemoteConnection, driver: RemoteDriver, giveBack: () => void) {
    this.#connection = connection;
    this.#driver = driver;
    this.giveBack = giveBack;
  }

  async run(sql: string): Promise<void> {
    await this.#connection.query(sql, []);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const answer = await this.#connection.query(sql, parameters as readonly SqlValue[]);
      const { rows, changes, insertId } = answer;
      return { rows: rows as unknown as Row[], numAffectedRows: BigInt(changes), insertId: BigInt(insertId) };
    } catch (error) {
      throw statementFailure(error, sql, this.#driver.isConstraint(error));
    }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }
}
