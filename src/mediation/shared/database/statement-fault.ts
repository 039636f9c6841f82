import { MillraceError, messageOf, synapseCodes } from '#errors';
import { Fault } from '../../fault.ts';

/** The fault of a statement, with the statement in its text and never a value (mediators 7.2). */
export function statementFault(error: unknown, sql: string, dataSource: string): Fault {
  const detail = error instanceof MillraceError ? (error.detail ?? error.message) : messageOf(error);
  return new Fault({
    code: synapseCodes.mediation,
    message: `SQL Exception occurred while executing statement : ${sql} against DataSource : ${dataSource}`,
    detail,
    cause: error,
  });
}
