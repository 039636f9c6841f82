import { formatNumber } from './number-formats.ts';
import { numberOf, required, textOrMarkup } from './convert.ts';
import { expression } from './operators.ts';
import { readExpression, type ReadContext } from './read-expression.ts';
import type { Cursor } from './cursor.ts';
import type { Expression } from './expression.ts';

/** The expression of an interpolation, and the digits that `#{…; m1M3}` asks for. */
export interface Interpolation {
  readonly value: Expression;
  /** A pattern of numbers; undefined for `${…}`. */
  readonly pattern: string | undefined;
}

/** Reads `${…}` or `#{…; format}` within a string; the expression yields text or markup. */
export function readInterpolation(cursor: Cursor, context: ReadContext): Expression {
  return shown(readInterpolated(cursor, context));
}

/** What an interpolation shows: text or markup; failures speak of its expression. */
export function shown({ value, pattern }: Interpolation): Expression {
  if (pattern === undefined) {
    return expression(value, (environment) => textOrMarkup(environment, required(environment, value), value));
  }
  return expression(value, (environment) => {
    const number = numberOf(required(environment, value), value);
    return formatNumber(pattern, number, { environment, blamed: value });
  });
}

/** Reads `${…}` or `#{…; format}`. */
export function readInterpolated(cursor: Cursor, context: ReadContext): Interpolation {
  const { closer, nesting } = cursor;
  const start = cursor.at;
  const isNumeric = cursor.peek('#{');
  cursor.at += 2;
  cursor.closer = undefined;
  cursor.nesting = 0;
  const value = readExpression(cursor, context);
  const format = isNumeric && cursor.blanks().take(';') ? readDigits(cursor) : '#,##0.###';
  if (!cursor.blanks().take('}')) {
    if (cursor.ended) cursor.fail('This interpolation is not closed', start);
    cursor.failExpected('"}"');
  }
  cursor.closer = closer;
  cursor.nesting = nesting;
  return { value, pattern: isNumeric ? format : undefined };
}

/** `m1M3`: least and most digits behind the point. */
function readDigits(cursor: Cursor): string {
  const start = cursor.blanks().at;
  const [found = ''] = cursor.match(/(?:[mM]\d{1,2}){1,2}/y) ?? [];
  const least = /m(\d+)/.exec(found)?.[1];
  const most = /M(\d+)/.exec(found)?.[1];
  if (found === '') cursor.fail('Expected a format such as m2 or m1M3', start);
  const minimum = Number(least ?? 0);
  const maximum = Number(most ?? minimum);
  if (maximum < minimum) cursor.fail('The least number of digits is above the greatest', start);
  return `0.${'0'.repeat(minimum)}${'#'.repeat(maximum - minimum)}`;
}
