import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqlValue } from '../database.ts';
import type { SqliteConnection } from './connection.ts';
import type { Turns } from './turns.ts';

/** The query builder on the writing connection. Loaded on demand: it takes longer than the database itself. */
export function createQueries(connection: SqliteConnection, turns: Turns): Kysely<unknown> {
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new TurnDriver(connection, turns),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<unknown>({ dialect });
}

/** Takes a turn for each query or transaction of the builder. */
class TurnDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #turns: Turns;

  constructor(connection: SqliteConnection, turns: Turns) {
    this.#connection = connection;
    this.#turns = turns;
  }

  async init(): Promise<void> {
    // The connection is open already.
  }

  async acquireConnection(): Promise<TurnConnection> {
    return new TurnConnection(this.#connection, await this.#turns.take());
  }

  async beginTransaction(): Promise<void> {
    this.#connection.exec('BEGIN IMMEDIATE');
  }

  async commitTransaction(): Promise<void> {
    this.#connection.exec('COMMIT');
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.exec('ROLLBACK');
  }

  async releaseConnection(connection: TurnConnection): Promise<void> {
    connection.end();
  }

  async destroy(): Promise<void> {
    // The connection belongs to the database.
  }
}

class TurnConnection implements DatabaseConnection {
  readonly end: () => void;
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection, end: () => void) {
    this.#connection = connection;
    this.end = end;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const values = query.parameters as readonly SqlValue[];
    const { kind } = query.query;
    const returnsRows = kind === 'SelectQueryNode' || kind === 'RawNode' || /\breturning\b/i.test(query.sql);
    if (returnsRows) return { rows: this.#connection.all(query.sql, values) as unknown as Row[] };
    const { changes, insertId } = this.#connection.run(query.sql, values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(insertId) };
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    for (const row of this.#connection.iterate(query.sql, query.parameters as readonly SqlValue[])) {
      yield { rows: [row as Row] };
    }
  }
}
