import type { Kysely } from 'kysely';
import { type Clock, systemClock } from '#core';
import { MillraceError } from '#errors';
import type { Database, MaybePromise, RunResult, SqlRow, SqlValue, Transaction } from '../database.ts';
import { SqliteConnection } from './connection.ts';
import { createTurns, type Turns } from './turns.ts';

/** The embedded database: reading is synchronous. */
export interface EmbeddedDatabase extends Database {
  get(sql: string, values?: readonly SqlValue[]): SqlRow | undefined;
  all(sql: string, values?: readonly SqlValue[]): readonly SqlRow[];
}

export interface SqliteOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  /** Milliseconds to wait for another process that writes; 5000 when absent. */
  readonly busyTimeout?: number;
  /** Milliseconds to wait for another transaction of this process; 30000 when absent. */
  readonly turnTimeout?: number;
  readonly clock?: Clock;
}

/**
 * Opens a file of the embedded engine, which must not be one of another engine.
 *
 * Writing goes through one connection, one transaction at a time; reading through another one, which sees what is
 * committed and never waits.
 *
 * @throws MillraceError `MR_DB_OPEN`
 */
export function openSqlite(options: SqliteOptions): EmbeddedDatabase {
  const { path, busyTimeout = 5000, turnTimeout = 30_000, clock = systemClock } = options;
  try {
    const writer = new SqliteConnection(path, { busyTimeout, readOnly: false });
    const reader = path === ':memory:' ? writer : new SqliteConnection(path, { busyTimeout, readOnly: true });
    return new SqliteDatabase(writer, reader, createTurns(turnTimeout, clock));
  } catch (cause) {
    throw new MillraceError({ code: 'MR_DB_OPEN', message: `The database ${path} cannot be opened`, cause });
  }
}

class SqliteDatabase implements EmbeddedDatabase {
  readonly dialect = 'sqlite';
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #turns: Turns;
  #builder: Promise<Kysely<unknown>> | undefined;

  constructor(writer: SqliteConnection, reader: SqliteConnection, turns: Turns) {
    this.#writer = writer;
    this.#reader = reader;
    this.#turns = turns;
  }

  get(sql: string, values: readonly SqlValue[] = []): SqlRow | undefined {
    return this.#reader.get(sql, values);
  }

  all(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    return this.#reader.all(sql, values);
  }

  async run(sql: string, values: readonly SqlValue[] = []): Promise<RunResult> {
    const end = await this.#turns.take();
    try {
      return this.#writer.run(sql, values);
    } finally {
      end();
    }
  }

  async transaction<Value>(work: (transaction: Transaction) => MaybePromise<Value>): Promise<Value> {
    const writer = this.#writer;
    const end = await this.#turns.take();
    try {
      writer.exec('BEGIN IMMEDIATE');
      try {
        const value = await work({
          get: (sql, values = []) => writer.get(sql, values),
          all: (sql, values = []) => writer.all(sql, values),
          run: (sql, values = []) => writer.run(sql, values),
        });
        writer.exec('COMMIT');
        return value;
      } catch (error) {
        writer.exec('ROLLBACK');
        throw error;
      }
    } finally {
      end();
    }
  }

  queries<Tables>(): Promise<Kysely<Tables>> {
    this.#builder ??= import('./kysely.ts').then(({ createQueries }) => createQueries(this.#writer, this.#turns));
    return this.#builder as Promise<Kysely<Tables>>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const end = await this.#turns.take();
    if (this.#reader !== this.#writer) this.#reader.close();
    this.#writer.close();
    end();
  }
}
