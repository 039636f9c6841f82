import { formatJavaDate, formatJavaDateTime, parseJavaDateTime } from '#core/java';
import { EvaluationError } from './error.ts';
import type { Scope } from './scope.ts';

/** The message's current time in a pattern of `SimpleDateFormat`. @throws MillraceError for a malformed pattern */
export function formatNow(scope: Scope, pattern: string): string {
  return formatJavaDate(scope.now(), pattern, zoneOf(scope));
}

/** Milliseconds since the epoch in a pattern of `DateTimeFormatter`. @throws MillraceError for a malformed pattern */
export function formatMillis(scope: Scope, millis: number, pattern: string): string {
  return formatJavaDateTime(millis, pattern, zoneOf(scope));
}

/** A date in one pattern of `DateTimeFormatter`, written in another. @throws MillraceError when it does not match */
export function reformatDate(scope: Scope, text: string, [from, to]: readonly [string, string]): string {
  const millis = parseJavaDateTime(text, from, zoneOf(scope));
  if (millis === undefined) throw new EvaluationError(`the date does not match the pattern "${from}"`);
  return formatMillis(scope, millis, to);
}

function zoneOf(scope: Scope): string {
  return scope.timeZone?.() ?? 'UTC';
}
