import type { Kysely } from 'kysely';
import type { DialectName } from './dialects/dialect.ts';
import type { PoolCounters } from './pool.ts';

/** What can be bound to a placeholder. */
export type SqlValue = string | number | bigint | null | Uint8Array;
/** A row by column name; callers know its columns and narrow it. */
export type SqlRow = Readonly<Record<string, unknown>>;
export type MaybePromise<Value> = Value | Promise<Value>;

export interface RunResult {
  /** Rows that were inserted, changed or deleted. */
  readonly changes: number;
  /** The number that an identity column gave to the inserted row; 0 when there is none. */
  readonly insertId: number;
}

/** Statements within a transaction; placeholders are `?`. Embedded, the answers are there at once. */
export interface Transaction {
  get(sql: string, values?: readonly SqlValue[]): MaybePromise<SqlRow | undefined>;
  all(sql: string, values?: readonly SqlValue[]): MaybePromise<readonly SqlRow[]>;
  run(sql: string, values?: readonly SqlValue[]): MaybePromise<RunResult>;
}

/**
 * One database. The embedded one is synchronous underneath: on the path of a message only `get` and `run` of single
 * rows by key are allowed. Searches, clean-up and bulk work belong on a worker thread that opens the database itself.
 */
export interface Database extends AsyncDisposable {
  readonly dialect: DialectName;
  /** The connections of the pool now; absent where there is none, as for the embedded database. */
  readonly counters?: PoolCounters;
  /** Asks whether the database answers, on a connection of the pool where there is one. */
  ping(): Promise<void>;
  /** The first row of a prepared query; statements are prepared once and kept. Sees what is committed. */
  get(sql: string, values?: readonly SqlValue[]): MaybePromise<SqlRow | undefined>;
  /** All rows of a prepared query; for results that are known to be small. */
  all(sql: string, values?: readonly SqlValue[]): MaybePromise<readonly SqlRow[]>;
  /** Runs one writing statement in a transaction of its own. */
  run(sql: string, values?: readonly SqlValue[]): Promise<RunResult>;
  /**
   * Runs `work` in a transaction, alone among the writers; what it throws rolls everything back. Within it only the
   * transaction may be used to write: the database itself would wait for it to end.
   */
  transaction<Value>(work: (transaction: Transaction) => MaybePromise<Value>): Promise<Value>;
  /** The query builder for these tables, loaded when it is first asked for. Not for the path of a message. */
  queries<Tables>(): Promise<Kysely<Tables>>;
}
