import { Cursor } from './cursor.ts';
import { Markup } from './output-format.ts';
import { expression, join } from './operators.ts';
import { required, textOrMarkup } from './convert.ts';
import { readInterpolation } from './interpolation.ts';
import type { Expression } from './expression.ts';
import type { ReadContext } from './read-expression.ts';
import type { Value } from './values.ts';

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  l: '<',
  g: '>',
  a: '&',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '{': '{',
  '=': '=',
};

/** Reads a string literal; `${…}` within it is replaced each time it is evaluated, unless it is raw. */
export function readString(
  cursor: Cursor,
  context: ReadContext,
  { start, raw }: { start: number; raw: boolean },
): Expression {
  const quote = cursor.text.charAt(cursor.at++);
  const content = cursor.at;
  while (!cursor.peek(quote)) {
    if (cursor.ended) cursor.fail('This string is not closed', start);
    cursor.at += !raw && cursor.peek('\\') ? 2 : 1;
  }
  const source = cursor.text.slice(content, cursor.at);
  cursor.at++;
  const blamed = cursor.blamed(start);
  const text = raw ? source : unescaped(cursor, source, content);
  if (raw || !/[$#]\{/.test(source)) return { ...blamed, form: 'literal', evaluate: () => text };
  const parts = readParts(new Cursor(text, cursor.place(content)), context);
  return expression(blamed, (environment) => {
    let result: Value = '';
    for (const part of parts) {
      const next: Value = typeof part === 'string' ? part : textOrMarkup(environment, part.evaluate(environment), part);
      const isMarkup = result instanceof Markup || next instanceof Markup;
      if (!isMarkup && typeof result === 'string' && typeof next === 'string') result += next;
      else result = join(environment, { first: result, second: next, left: blamed, right: blamed }, blamed);
    }
    return result;
  });
}

function unescaped(cursor: Cursor, source: string, content: number): string {
  return source.replace(/\\(x[\dA-Fa-f]{1,4}|[^])/g, (_, escape: string, index: number) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return escapes[escape] ?? cursor.fail(`There is no escape "\\${escape}"`, content + index);
  });
}

function readParts(cursor: Cursor, context: ReadContext): readonly (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  while (!cursor.ended) {
    const text = cursor.match(/(?:(?![$#]\{)[^])+/y)?.[0];
    if (text !== undefined) parts.push(text);
    if (!cursor.ended) parts.push(requiredPart(readInterpolation(cursor, context)));
  }
  return parts;
}

function requiredPart(part: Expression): Expression {
  return { ...part, evaluate: (environment) => required(environment, part) };
}
