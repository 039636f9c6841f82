import type { Position } from '#errors';
import { comparable } from './comparable.ts';
import type { Outcome } from './outcome.ts';
import type { Assertion } from './suite.ts';

/** An assertion that does not hold. */
export interface FailedAssertion {
  readonly type: Assertion['type'];
  /** What was looked at, such as `$body`. */
  readonly expression: string;
  readonly actual: string | undefined;
  readonly expected: string | undefined;
  readonly message: string;
  readonly position: Position;
}

/** The assertions that do not hold for an outcome. @throws MillraceError for a value that it cannot have */
export function failuresOf(assertions: readonly Assertion[], outcome: Outcome): readonly FailedAssertion[] {
  return assertions.flatMap((assertion) => {
    const { type, actual, expected, message, position } = assertion;
    const value = outcome.valueOf(actual);
    if (holds(value, expected)) return [];
    return [{ type, expression: actual.text, actual: value, expected, message, position }];
  });
}

function holds(value: string | undefined, expected: string | undefined): boolean {
  if (expected === undefined) return value !== undefined && value.trim() !== '';
  return value !== undefined && comparable(value) === comparable(expected);
}
