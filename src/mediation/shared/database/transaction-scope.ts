import type { Database, Transaction } from '#db';
import { MillraceError, synapseCodes } from '#errors';
import type { Message, MessageExchange } from '#message';

/** A transaction that is open in one database, until it is told how to end. */
interface OpenTransaction {
  readonly transaction: Promise<Transaction>;
  /** Resolves when the database has done it. */
  end(isCommitted: boolean): Promise<void>;
}

/** The transaction of a message: one in each database that statements with `useTransaction` reach (mediators 6.3). */
export class TransactionScope {
  readonly #open = new Map<Database, OpenTransaction>();

  /** The transaction in a database, begun when it is first asked for. */
  join(database: Database): Promise<Transaction> {
    const known = this.#open.get(database) ?? begin(database);
    this.#open.set(database, known);
    return known.transaction;
  }

  /** The transaction that was begun in a database; undefined when none was. */
  joined(database: Database): Promise<Transaction> | undefined {
    return this.#open.get(database)?.transaction;
  }

  async end(isCommitted: boolean): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    // Databases end one after the other; what fails is raised when all have been told.
    const failures: unknown[] = [];
    for (const each of all) await each.end(isCommitted).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

const rolledBack = new MillraceError({ code: 'MR_DB_ROLLED_BACK', message: 'The transaction was rolled back' });

function begin(database: Database): OpenTransaction {
  const began = Promise.withResolvers<Transaction>();
  const ending = Promise.withResolvers<void>();
  const done = database.transaction(async (transaction) => {
    began.resolve(transaction);
    await ending.promise;
  });
  done.catch((error: unknown) => began.reject(error));
  return {
    transaction: began.promise,
    async end(isCommitted) {
      if (isCommitted) ending.resolve();
      else ending.reject(rolledBack);
      await done.catch((error: unknown) => {
        if (error !== rolledBack) throw error;
      });
    },
  };
}

const scopes = new WeakMap<MessageExchange, TransactionScope>();

/** The transaction that a message is in; undefined outside of one. */
export function transactionOf(message: Message): TransactionScope | undefined {
  return scopes.get(message.exchange);
}

/** Begins the transaction of a message. What is still open when its exchange is over is rolled back. */
export function beginTransaction(message: Message): TransactionScope {
  const scope = new TransactionScope();
  const {
    exchange,
    exchange: { environment },
  } = message;
  scopes.set(exchange, scope);
  exchange.releases ??= [];
  exchange.releases.push(() => {
    if (scopes.get(exchange) !== scope) return;
    environment.warn('a transaction that was neither committed nor rolled back is rolled back', message.id);
    void endTransaction(message, false).catch((error: unknown) =>
      environment.warn('a transaction could not be rolled back', String(error)),
    );
  });
  return scope;
}

/** Ends the transaction of a message. @throws MillraceError when there is none */
export async function endTransaction(message: Message, isCommitted: boolean): Promise<void> {
  const scope = scopes.get(message.exchange);
  if (!scope) {
    const action = isCommitted ? 'committed' : 'rolled back';
    throw new MillraceError({
      code: synapseCodes.mediation,
      message: `There is no transaction that could be ${action}`,
    });
  }
  scopes.delete(message.exchange);
  await scope.end(isCommitted);
}
