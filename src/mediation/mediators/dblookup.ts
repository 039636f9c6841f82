import { givesRows, type Database, type SqlRow, type SqlValue } from '#db';
import type { Message } from '#message';
import { appendChild } from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import {
  compileConnection,
  readConnection,
  serializeConnection,
  type ConnectionDefinition,
} from '../shared/database/connection.ts';
import {
  appendStatements,
  boundValues,
  readStatements,
  statementsNeedBody,
  takeResults,
  type StatementDefinition,
} from '../shared/database/statement.ts';
import { statementFault } from '../shared/database/statement-fault.ts';
import { transactionOf } from '../shared/database/transaction-scope.ts';

interface Definition {
  readonly connection: ConnectionDefinition;
  readonly statements: readonly StatementDefinition[];
}

/** `<dblookup>`: puts columns of the first row of a query into properties (mediators 7.2). */
export const dblookup = defineMediator<Definition>({
  element: 'dblookup',
  attributes: [],
  children: ['connection', 'statement'],
  needsBody: ({ statements }) => statementsNeedBody(statements),
  parse: (node) => ({ connection: readConnection(node), statements: readStatements(node) }),
  serialize({ connection, statements }) {
    const element = synapseElement('dblookup');
    appendChild(element, serializeConnection(connection));
    return appendStatements(element, statements);
  },
  compile({ connection, statements }, context): Compiled {
    const target = compileConnection(connection, context);
    return async (message) => {
      for (const statement of statements) {
        try {
          const database = await target.open();
          const row = await firstRow(database, message, [statement.sql, boundValues(statement, message)]);
          const missing = row ? takeResults(message, statement.results, row) : [];
          if (missing.length > 0) throw new Error(`the result has no column ${missing.join(', ')}`);
        } catch (error) {
          throw statementFault(error, statement.sql, target.name);
        }
      }
      return CONTINUE;
    };
  },
});

/** Reads in the transaction of the message when it has one in this database. */
async function firstRow(
  database: Database,
  message: Message,
  [sql, values]: readonly [string, readonly SqlValue[]],
): Promise<SqlRow | undefined> {
  const joined = await transactionOf(message)?.joined(database);
  if (joined) return joined.get(sql, values);
  // A statement that changes something, such as a call of a procedure, is a transaction of its own.
  const onlyReads = /^\s*(?:select|with)\b/i.test(sql) && givesRows(sql);
  return onlyReads ? database.get(sql, values) : database.transaction((transaction) => transaction.get(sql, values));
}
