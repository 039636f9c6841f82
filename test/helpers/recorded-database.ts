import type { Database, SqlValue, Transaction } from '#db';

/** A statement that was made, with its values. */
export interface RecordedStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A database that notes every statement that goes through it, each text once. */
export function recordedDatabase(database: Database): {
  readonly database: Database;
  readonly statements: ReadonlyMap<string, RecordedStatement>;
} {
  const statements = new Map<string, RecordedStatement>();
  const through = (target: Transaction): Transaction => ({
    get: (sql, values = []) => target.get(note(sql, values), values),
    all: (sql, values = []) => target.all(note(sql, values), values),
    run: (sql, values = []) => target.run(note(sql, values), values),
  });
  const note = (sql: string, values: readonly SqlValue[]): string => {
    statements.set(sql, { sql, values });
    return sql;
  };
  return {
    statements,
    database: {
      dialect: database.dialect,
      ping: () => database.ping(),
      ...through(database),
      run: (sql, values = []) => database.run(note(sql, values), values),
      transaction: (work) => database.transaction((transaction) => work(through(transaction))),
      queries: () => database.queries(),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    },
  };
}
