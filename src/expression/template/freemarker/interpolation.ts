import { formatNumber } from './number-formats.ts';
import { numberOf, required, textOrMarkup } from './convert.ts';
import { expression } from './operators.ts';
import { readExpression, type ReadContext } from './read-expression.ts';
import type { Cursor } from './cursor.ts';
import type { Expression } from './expression.ts';

/** Reads `${…}` or `#{…; format}`; the expression yields text or markup, and speaks of itself in failures. */
export function readInterpolation(cursor: Cursor, context: ReadContext): Expression {
  const { closer, nesting } = cursor;
  const start = cursor.at;
  const isNumeric = cursor.peek('#{');
  cursor.at += 2;
  cursor.closer = undefined;
  cursor.nesting = 0;
  const inner = readExpression(cursor, context);
  const format = isNumeric && cursor.blanks().take(';') ? readDigits(cursor) : '';
  if (!cursor.blanks().take('}')) {
    if (cursor.ended) cursor.fail('This interpolation is not closed', start);
    cursor.failExpected('"}"');
  }
  cursor.closer = closer;
  cursor.nesting = nesting;
  if (!isNumeric) {
    return expression(inner, (environment) => textOrMarkup(environment, required(environment, inner), inner));
  }
  const pattern = format === '' ? '#,##0.###' : format;
  return expression(inner, (environment) => {
    const value = numberOf(required(environment, inner), inner);
    return formatNumber(pattern, value, { environment, blamed: inner });
  });
}

/** `m1M3`: least and most digits behind the point. */
function readDigits(cursor: Cursor): string {
  const start = cursor.blanks().at;
  const [found = ''] = cursor.match(/(?:[mM]\d{1,2}){1,2}/y) ?? [];
  const least = /m(\d+)/.exec(found)?.[1];
  const most = /M(\d+)/.exec(found)?.[1];
  if (found === '') cursor.fail('Expected a format such as m2 or m1M3', start);
  const minimum = Number(least ?? 0);
  const maximum = Math.max(minimum, Number(most ?? minimum));
  return `0.${'0'.repeat(minimum)}${'#'.repeat(maximum - minimum)}`;
}
