import type { Kysely } from 'kysely';
import type { Clock } from '#core';
import type { Database, MaybePromise, RunResult, SqlRow, SqlValue, Transaction } from '../database.ts';
import type { DialectName } from '../dialects/dialect.ts';
import { createPool, type Pool, type PoolCounters, type PoolOptions } from '../pool.ts';
import { statementFailure, type QueryAnswer, type RemoteConnection, type RemoteDriver } from './connection.ts';

export interface RemoteOptions {
  readonly dialect: DialectName;
  readonly driver: RemoteDriver;
  readonly pool: PoolOptions;
  readonly clock: Clock;
}

/** A database behind a network: connections are made when they are needed and lent from a pool. */
export function createRemoteDatabase({ dialect, driver, pool, clock }: RemoteOptions): Database {
  const connections = createPool<RemoteConnection>(
    {
      create: () => driver.connect(),
      destroy: (connection) => connection.close(),
      async validate(connection, query) {
        if (connection.isBroken) return false;
        await connection.query(driver.prepare(query ?? driver.validationQuery), []);
        return true;
      },
      reset: () => Promise.resolve(),
    },
    pool,
    clock,
  );
  return new RemoteDatabase({ dialect, driver, pool, clock }, connections);
}

class RemoteDatabase implements Database {
  readonly dialect: DialectName;
  readonly #driver: RemoteDriver;
  readonly #pool: Pool<RemoteConnection>;
  readonly #commits: boolean;
  readonly #validationQuery: string | undefined;
  #builder: Promise<Kysely<unknown>> | undefined;

  constructor({ dialect, driver, pool }: RemoteOptions, connections: Pool<RemoteConnection>) {
    this.dialect = dialect;
    this.#driver = driver;
    this.#pool = connections;
    this.#commits = pool.defaultAutoCommit ?? true;
    this.#validationQuery = pool.validationQuery;
  }

  get counters(): PoolCounters {
    return this.#pool.counters;
  }

  async ping(): Promise<void> {
    const query = this.#validationQuery ?? this.#driver.validationQuery;
    await this.#pool.use((connection) => this.#query(connection, query, []));
  }

  async get(sql: string, values: readonly SqlValue[] = []): Promise<SqlRow | undefined> {
    return (await this.all(sql, values))[0];
  }

  async all(sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return (await this.#alone(sql, values, 'ROLLBACK')).rows;
  }

  async run(sql: string, values: readonly SqlValue[] = []): Promise<RunResult> {
    const { changes, insertId } = await this.#alone(sql, values, 'COMMIT');
    return { changes, insertId };
  }

  transaction<Value>(work: (transaction: Transaction) => MaybePromise<Value>): Promise<Value> {
    return this.#pool.use(async (connection) => {
      await this.#query(connection, this.#driver.begin, []);
      try {
        const value = await work({
          get: async (sql, values = []) => (await this.#query(connection, sql, values)).rows[0],
          all: async (sql, values = []) => (await this.#query(connection, sql, values)).rows,
          run: (sql, values = []) => this.#query(connection, sql, values),
        });
        await this.#query(connection, 'COMMIT', []);
        return value;
      } catch (error) {
        if (!connection.isBroken) await this.#query(connection, 'ROLLBACK', []);
        throw error;
      }
    });
  }

  queries<Tables>(): Promise<Kysely<Tables>> {
    this.#builder ??= import('./kysely.ts').then(({ createQueries }) =>
      createQueries(this.dialect, this.#driver, this.#pool),
    );
    return this.#builder as Promise<Kysely<Tables>>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  /** A statement outside of transactions: where statements do not commit by themselves it is one of its own. */
  #alone(sql: string, values: readonly SqlValue[], end: 'COMMIT' | 'ROLLBACK'): Promise<QueryAnswer> {
    return this.#pool.use(async (connection) => {
      if (this.#commits) return this.#query(connection, sql, values);
      await this.#query(connection, this.#driver.begin, []);
      try {
        const answer = await this.#query(connection, sql, values);
        await this.#query(connection, end, []);
        return answer;
      } catch (error) {
        if (!connection.isBroken) await this.#query(connection, 'ROLLBACK', []);
        throw error;
      }
    });
  }

  async #query(connection: RemoteConnection, sql: string, values: readonly SqlValue[]): Promise<QueryAnswer> {
    try {
      return await connection.query(this.#driver.prepare(sql), values);
    } catch (error) {
      throw statementFailure(error, sql, this.#driver.isConstraint(error));
    }
  }
}
