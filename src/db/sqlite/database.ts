import type { Kysely } from 'kysely';
import { type Clock, systemClock } from '#core';
import { MillraceError } from '#errors';
import type { Database, MaybePromise, RunResult, SqlRow, SqlValue, Transaction } from '../database.ts';
import { createCheckpoints, type Checkpoints } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
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
 * Writing goes through one connection, one transaction at a time; reading meanwhile through another one, which sees
 * what is committed and never waits.
 *
 * @throws MillraceError `MR_DB_OPEN`
 */
export function openSqlite(options: SqliteOptions): EmbeddedDatabase {
  const { path, busyTimeout = 5000, turnTimeout = 30_000, clock = systemClock } = options;
  try {
    const writer = new SqliteConnection(path, { busyTimeout, readOnly: false });
    const reader = path === ':memory:' ? writer : new SqliteConnection(path, { busyTimeout, readOnly: true });
    const turns = createTurns(turnTimeout, clock);
    const checkpoints = reader === writer ? undefined : createCheckpoints({ path, busyTimeout, turns });
    const committed = (count: number): void => checkpoints?.committed(count);
    const commits = new GroupCommit({ connection: writer, turns, clock, limit: turnTimeout, committed });
    return new SqliteDatabase({ writer, reader, turns, commits, checkpoints });
  } catch (cause) {
    throw new MillraceError({ code: 'MR_DB_OPEN', message: `The database ${path} cannot be opened`, cause });
  }
}

interface SqliteParts {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly turns: Turns;
  readonly commits: GroupCommit;
  /** Undefined for a database in memory, which has no log. */
  readonly checkpoints: Checkpoints | undefined;
}

class SqliteDatabase implements EmbeddedDatabase {
  readonly dialect = 'sqlite';
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #turns: Turns;
  readonly #commits: GroupCommit;
  readonly #checkpoints: Checkpoints | undefined;
  #builder: Promise<Kysely<unknown>> | undefined;

  constructor({ writer, reader, turns, commits, checkpoints }: SqliteParts) {
    this.#writer = writer;
    this.#reader = reader;
    this.#turns = turns;
    this.#commits = commits;
    this.#checkpoints = checkpoints;
  }

  async ping(): Promise<void> {
    this.get('SELECT 1');
  }

  get(sql: string, values: readonly SqlValue[] = []): SqlRow | undefined {
    return this.#readable().get(sql, values);
  }

  all(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    return this.#readable().all(sql, values);
  }

  /**
   * The writing connection while nothing is open on it: it knows the pages that it wrote, whereas the other one has to
   * read all of them again after each commit.
   */
  #readable(): SqliteConnection {
    return this.#turns.isTaken() ? this.#reader : this.#writer;
  }

  run(sql: string, values: readonly SqlValue[] = []): Promise<RunResult> {
    return this.#commits.statement(() => this.#writer.run(sql, values));
  }

  transaction<Value>(work: (transaction: Transaction) => MaybePromise<Value>): Promise<Value> {
    const writer = this.#writer;
    return this.#commits.transaction(() =>
      work({
        get: (sql, values = []) => writer.get(sql, values),
        all: (sql, values = []) => writer.all(sql, values),
        run: (sql, values = []) => writer.run(sql, values),
      }),
    );
  }

  queries<Tables>(): Promise<Kysely<Tables>> {
    this.#builder ??= import('./kysely.ts').then(({ createQueries }) => createQueries(this.#writer, this.#turns));
    return this.#builder as Promise<Kysely<Tables>>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const end = await this.#turns.take();
    await this.#checkpoints?.close();
    if (this.#reader !== this.#writer) this.#reader.close();
    this.#writer.close();
    end();
  }
}
