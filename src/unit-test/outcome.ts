import { MillraceError } from '#errors';
import type { ActualValue } from './actual.ts';

/** What a test case led to: the values that its assertions may ask for. */
export interface Outcome {
  /** The value as text; undefined when there is none. @throws MillraceError for a value that such an outcome never has */
  valueOf(actual: ActualValue): string | undefined;
}

/** Says that a value exists only for other kinds of artifacts. */
export function wrongActual({ text }: ActualValue, what: string): MillraceError {
  return new MillraceError({ code: 'MR_UNIT_TEST_ACTUAL', message: `${text} is no value of ${what}` });
}
