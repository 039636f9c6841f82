import { MillraceError, messageOf } from '#errors';
import type { RunResult, SqlRow, SqlValue } from '../database.ts';

/** What a statement gave. */
export interface QueryAnswer extends RunResult {
  readonly rows: readonly SqlRow[];
}

/** One connection to a database server. */
export interface RemoteConnection {
  /** Runs a statement with the placeholders of the vendor. */
  query(sql: string, values: readonly SqlValue[]): Promise<QueryAnswer>;
  /** True once the connection is known to be lost. */
  readonly isBroken: boolean;
  close(): Promise<void>;
}

/** Makes connections to one database of one vendor. */
export interface RemoteDriver {
  connect(): Promise<RemoteConnection>;
  /** Turns `?` into the placeholders of the vendor. */
  prepare(sql: string): string;
  /** What tests a connection when the pool names no query. */
  readonly validationQuery: string;
  /** Begins a transaction. */
  readonly begin: string;
  /** Whether the vendor's code says that the data contradict a constraint. */
  isConstraint(error: unknown): boolean;
}

/** The failure of a statement, with the statement but without its values, for the log. */
export function statementFailure(error: unknown, sql: string, isConstraint: boolean): MillraceError {
  return new MillraceError({
    code: isConstraint ? 'MR_DB_CONSTRAINT' : 'MR_DB_STATEMENT',
    status: isConstraint ? 409 : 500,
    message: isConstraint ? 'The data contradict what is stored' : 'A statement of the database failed',
    detail: `${messageOf(error)}: ${sql.slice(0, 300)}`,
    cause: error,
  });
}

/** The failure to reach a database server. */
export function connectFailure(error: unknown, address: string): MillraceError {
  return new MillraceError({
    code: 'MR_DB_CONNECT',
    status: 503,
    message: 'The database cannot be reached',
    detail: `${address}: ${messageOf(error)}`,
    cause: error,
  });
}
