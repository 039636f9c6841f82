import { TimeLimitError } from '#core';
import { MillraceError } from '#errors';

/** What callers without a name may read of a failure: only texts that were written for clients. */
export function failureText(error: unknown): string {
  if (error instanceof MillraceError || error instanceof TimeLimitError) return error.message;
  return 'The check failed; the log says why';
}
