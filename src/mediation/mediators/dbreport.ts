import { splitStatements, type Database, type SqlValue, type Transaction } from '#db';
import type { Message } from '#message';
import { appendChild } from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import {
  compileConnection,
  readConnection,
  serializeConnection,
  type CompiledConnection,
  type ConnectionDefinition,
} from '../shared/database/connection.ts';
import {
  appendStatements,
  boundValues,
  readStatements,
  statementsNeedBody,
  type StatementDefinition,
} from '../shared/database/statement.ts';
import { statementFault } from '../shared/database/statement-fault.ts';
import { transactionOf } from '../shared/database/transaction-scope.ts';

interface Definition {
  readonly useTransaction: boolean;
  readonly connection: ConnectionDefinition;
  readonly statements: readonly StatementDefinition[];
}

/** What runs a statement: a transaction, or a database for a transaction of the statement's own. */
type Runner = Pick<Transaction, 'run'>;

/** `<dbreport>`: writes into a database, all of its statements or none (mediators 7.2). */
export const dbreport = defineMediator<Definition>({
  element: 'dbreport',
  attributes: ['useTransaction'],
  children: ['connection', 'statement'],
  needsBody: ({ statements }) => statementsNeedBody(statements),
  parse: (node) => ({
    useTransaction: node.flag('useTransaction', false),
    connection: readConnection(node),
    statements: readStatements(node),
  }),
  serialize({ useTransaction, connection, statements }) {
    const element = synapseElement('dbreport', { useTransaction: useTransaction || undefined });
    appendChild(element, serializeConnection(connection));
    return appendStatements(element, statements);
  },
  compile({ useTransaction, connection, statements }, context): Compiled {
    const target = compileConnection(connection, context);
    return async (message) => {
      // Values that are not of their type fail before anything is written.
      const work = statements.map((statement) => [statement.sql, valuesOf(statement, message, target)] as const);
      const database = await open(target, statements[0]?.sql ?? '');
      const runAll = async (runner: Runner): Promise<void> => {
        for (const [sql, values] of work) await report(runner, message, { sql, values, target, database });
      };
      const scope = useTransaction ? transactionOf(message) : undefined;
      if (scope) await runAll(await scope.join(database));
      else if (target.autoCommit) await runAll(database);
      else await database.transaction(runAll);
      return CONTINUE;
    };
  },
});

async function open(target: CompiledConnection, sql: string): Promise<Database> {
  try {
    return await target.open();
  } catch (error) {
    throw statementFault(error, sql, target.name);
  }
}

function valuesOf(statement: StatementDefinition, message: Message, { name }: CompiledConnection): SqlValue[] {
  try {
    return boundValues(statement, message);
  } catch (error) {
    throw statementFault(error, statement.sql, name);
  }
}

/** Runs one statement; several without parameters in one text are run one by one where the engine takes only one. */
async function report(
  runner: Runner,
  message: Message,
  facts: { sql: string; values: readonly SqlValue[]; target: CompiledConnection; database: Database },
): Promise<void> {
  const { sql, values, target, database } = facts;
  try {
    const parts = values.length === 0 && database.dialect === 'sqlite' ? splitStatements(sql) : [sql];
    for (const part of parts) {
      const { changes } = await runner.run(part, values);
      message.properties.set('DBREPORT_MODIFIED_RAW_COUNT', changes);
    }
  } catch (error) {
    throw statementFault(error, sql, target.name);
  }
}
