import type { Position, Problem } from '#errors';
import type { FailedAssertion } from './assertions.ts';
import type { ArtifactCoverage } from './coverage.ts';

/** What became of one suite. */
export interface SuiteResult {
  readonly file: string;
  /** False when the suite is malformed or its artifacts cannot be deployed; no case ran then. */
  readonly ran: boolean;
  readonly problems: readonly Problem[];
  readonly cases: readonly CaseResult[];
  readonly coverage: readonly ArtifactCoverage[];
}

export interface CaseResult {
  readonly name: string;
  readonly position: Position;
  /** Real milliseconds that the case took. */
  readonly duration: number;
  /** Why the message came to no end that could be looked at; undefined when it did. */
  readonly error: string | undefined;
  readonly failures: readonly FailedAssertion[];
}

/** True when nothing failed. */
export function isPassed({ error, failures }: CaseResult): boolean {
  return error === undefined && failures.length === 0;
}

/** True when the suite ran and every case of it passed. */
export function isSuitePassed({ ran, cases }: SuiteResult): boolean {
  return ran && cases.every(isPassed);
}
