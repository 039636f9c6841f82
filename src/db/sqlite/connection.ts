import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { MillraceError } from '#errors';
import type { RunResult, SqlRow, SqlValue } from '../database.ts';

/** Statements that are kept prepared; beyond it the oldest goes. */
const statementLimit = 500;

/** One connection to a file, with its prepared statements. An integer beyond 53 bits is an error. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, options: { readonly busyTimeout: number; readonly readOnly: boolean }) {
    this.#database = new DatabaseSync(path, { timeout: options.busyTimeout, readOnly: options.readOnly });
    // Writes survive a crash of the process at once, and one of the machine up to the last checkpoint.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
    // Checkpoints run on a thread of their own; where that does not keep up, one runs here (in pages of the log).
    // A log that had become longer is cut when it begins again (in bytes).
    this.#database.exec('PRAGMA wal_autocheckpoint = 64000; PRAGMA journal_size_limit = 67108864');
    // Pages that change again and again stay in memory (in KiB).
    this.#database.exec('PRAGMA cache_size = -32768');
    // What is not in memory is read without being copied, as far into the file as the engine can map it (in bytes).
    this.#database.exec('PRAGMA mmap_size = 2147418112');
  }

  get(sql: string, values: readonly SqlValue[]): SqlRow | undefined {
    return guard(sql, () => this.#prepare(sql).get(...values));
  }

  all(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    return guard(sql, () => this.#prepare(sql).all(...values));
  }

  run(sql: string, values: readonly SqlValue[]): RunResult {
    const { changes, lastInsertRowid } = guard(sql, () => this.#prepare(sql).run(...values));
    return { changes: Number(changes), insertId: Number(lastInsertRowid) };
  }

  /** Rows one by one, for results that may be large. */
  iterate(sql: string, values: readonly SqlValue[]): Iterable<Record<string, SQLOutputValue>> {
    return guard(sql, () => this.#database.prepare(sql).iterate(...values));
  }

  /** Runs statements without values or results. */
  exec(sql: string): void {
    guard(sql, () => this.#database.exec(sql));
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const present = this.#statements.get(sql);
    if (present) return present;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= statementLimit) {
      this.#statements.delete(this.#statements.keys().next().value ?? '');
    }
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** SQLite's extended codes of violated constraints. */
const constraintCode = 19;

/** Runs `action`; a failure is named and carries the statement, without its values, for the log. */
function guard<Value>(sql: string, action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    const number = (error as { errcode?: number }).errcode ?? 0;
    const isConstraint = (number & 0xff) === constraintCode;
    throw new MillraceError({
      code: isConstraint ? 'MR_DB_CONSTRAINT' : 'MR_DB_STATEMENT',
      status: isConstraint ? 409 : 500,
      message: isConstraint ? 'The data contradict what is stored' : 'A statement of the database failed',
      detail: `${(error as Error).message}: ${sql.slice(0, 300)}`,
      cause: error,
    });
  }
}
