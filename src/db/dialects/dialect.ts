import type { Clock } from '#core';
import type { JdbcUrl, JdbcVendor } from '#core/java';
import { MillraceError } from '#errors';
import type { Database } from '../database.ts';
import type { PoolOptions } from '../pool.ts';

export type DialectName = 'sqlite' | Exclude<JdbcVendor, 'h2'>;

/** How a database spells the column types that our tables use. */
export interface ColumnTypes {
  /** Short text that can be a key. */
  readonly key: string;
  /** Text of any length. */
  readonly text: string;
  /** 64 bits; also for times in milliseconds. */
  readonly integer: string;
  readonly bytes: string;
  /** A column that numbers its rows, with the primary key. */
  readonly sequence: string;
  /** Whether an index may leave rows out (`CREATE INDEX … WHERE`), dropped without naming its table. */
  readonly partialIndexes: boolean;
}

export interface ConnectOptions {
  readonly url: JdbcUrl;
  readonly username?: string;
  readonly password?: string;
  readonly pool?: PoolOptions;
  readonly clock?: Clock;
}

/** What differs between databases. One row per vendor in `dialects/index.ts`. */
export interface Dialect {
  readonly name: DialectName;
  readonly types: ColumnTypes;
  /** Statements that let one migration run at a time, run first in its transaction. */
  readonly migrationLock: readonly string[];
  /** Gives a lock back that does not end with the transaction. */
  readonly migrationUnlock?: string;
  /** Whether migrations run by themselves at the start. */
  readonly migratesItself: boolean;
  /** The package with the driver, to be installed by whoever needs it; absent for the embedded engine. */
  readonly driverPackage?: string;
  /** Connects; absent while no driver is written. */
  readonly connect?: (options: ConnectOptions) => Promise<Database>;
}

/** The refusal of a database whose driver is not there, naming the package that brings it. */
export function driverMissing({ name, driverPackage = name }: Dialect, cause: unknown): MillraceError {
  return new MillraceError({
    code: 'MR_DB_DRIVER',
    message: `Databases of type ${name} need the package "${driverPackage}"; install it with: npm install ${driverPackage}`,
    cause,
  });
}

/** The refusal of a vendor for which no driver is written. */
export function driverUnwritten({ name, driverPackage = name }: Dialect): MillraceError {
  return new MillraceError({
    code: 'MR_DB_DRIVER',
    message: `Databases of type ${name} cannot be used yet: nothing here speaks to the package "${driverPackage}". Use PostgreSQL, MySQL, MariaDB or the embedded database`,
  });
}
