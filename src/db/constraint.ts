import { MillraceError } from '#errors';

/** True for the refusal of a row that contradicts a key or another constraint, on every database. */
export function isConstraintViolation(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'MR_DB_CONSTRAINT';
}
