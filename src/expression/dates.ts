import * as java from '#core/java';
import { EvaluationError } from './error.ts';
import type { Scope } from './scope.ts';

/** The message's current time in a pattern of `SimpleDateFormat`. */
export function formatNow(scope: Scope, pattern: string): string {
  return formatMillis(scope, scope.now(), pattern);
}

/** Milliseconds since the epoch in a date pattern of Java, in the zone of the engine. */
export function formatMillis(scope: Scope, millis: number, pattern: string): string {
  return java.formatJavaDate(millis, pattern, zoneOf(scope));
}

/** A date in one pattern of Java, written in another. @throws EvaluationError when the text does not match */
export function reformatDate(scope: Scope, text: string, [from, to]: readonly [string, string]): string {
  const millis = java.parseJavaDate(text, from, zoneOf(scope));
  if (millis === undefined) throw new EvaluationError(`the date does not match the pattern "${from}"`);
  return formatMillis(scope, millis, to);
}

function zoneOf(scope: Scope): string {
  return scope.timeZone?.() ?? 'UTC';
}
