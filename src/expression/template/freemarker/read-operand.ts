import type { Cursor } from './cursor.ts';
import { evaluateLenient } from './lenient.ts';
import { isMissing, nothing, type Value } from './values.ts';
import type { Blamed } from './errors.ts';
import { expression, literalNumber } from './operators.ts';
import { callFunction } from './macro.ts';
import { itemOrMember, member } from './access.ts';
import { required, textOf } from './convert.ts';
import { readBuiltin } from './read-builtin.ts';
import { readExpression, startsOperand, type ReadContext } from './read-expression.ts';
import { readString } from './read-string.ts';
import { specialVariable } from './special-variables.ts';
import type { Expression } from './expression.ts';
import type { Operator } from './numbers.ts';

/** True for the operators that calculate. */
export function isNumericOperator(text: string): text is Operator {
  return /^[-+*/%]$/.test(text);
}

/** Reads a literal, a variable or an expression in parentheses, with the steps behind it. */
export function readOperand(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  let operand = readAtom(cursor, context);
  for (;;) {
    const next = readStep(cursor, { context, operand, start });
    if (!next) return operand;
    operand = next;
  }
}

function readAtom(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  const raw = cursor.match(/r(?=["'])/y) !== undefined;
  if (cursor.peek('"') || cursor.peek("'")) return readString(cursor, context, { start, raw });
  const digits = cursor.match(/\d+(?:\.\d+)?/y)?.[0];
  if (digits !== undefined) {
    const value = literalNumber(digits);
    return { ...cursor.blamed(start), form: 'literal', evaluate: () => value };
  }
  if (cursor.peek('(')) return readParenthesis(cursor, context);
  if (cursor.take('[')) {
    const items = readList(cursor, context, ']');
    return expression(cursor.blamed(start), (environment) => items.map((item) => required(environment, item)));
  }
  if (cursor.take('{')) return readHash(cursor, context, start);
  if (cursor.match(/\.(?!\.)/y)) return specialVariable(cursor, context, start);
  const name = cursor.identifier();
  if (name === undefined) cursor.failExpected('an expression');
  return readName(cursor, context, { name, start });
}

function readName(cursor: Cursor, context: ReadContext, { name, start }: { name: string; start: number }): Expression {
  const blamed = cursor.blamed(start);
  if (name === 'true' || name === 'false') {
    const value = name === 'true';
    return { ...blamed, form: 'literal', evaluate: () => value };
  }
  if (/^(?:gte?|lte?|as|in|using)$/.test(name)) cursor.fail(`"${name}" is a word of the language`, start);
  const substitution = context.substitutions?.get(name);
  if (substitution) return substitution;
  return { ...blamed, form: 'name', name, evaluate: (environment) => environment.lookup(name) };
}

function readParenthesis(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  cursor.at++;
  const inner = bracketed(cursor, () => readExpression(cursor, context));
  cursor.expect(')');
  return { ...cursor.blamed(start), form: 'parenthesis', evaluate: (environment) => inner.evaluate(environment) };
}

/** Reads something within brackets, where `>` is an operator. */
export function bracketed<T>(cursor: Cursor, read: () => T): T {
  cursor.nesting++;
  try {
    return read();
  } finally {
    cursor.nesting--;
  }
}

/** Reads expressions separated by commas, and the closing bracket. */
export function readList(cursor: Cursor, context: ReadContext, closing: string): readonly Expression[] {
  return bracketed(cursor, () => {
    const items: Expression[] = [];
    if (cursor.blanks().take(closing)) return items;
    for (;;) {
      items.push(readExpression(cursor, context));
      cursor.blanks();
      if (cursor.take(closing)) return items;
      if (!cursor.take(',')) cursor.failExpected(`"," or "${closing}"`);
    }
  });
}

function readHash(cursor: Cursor, context: ReadContext, start: number): Expression {
  const members: [Expression, Expression][] = [];
  bracketed(cursor, () => {
    if (cursor.blanks().take('}')) return;
    for (;;) {
      const key = readExpression(cursor, context);
      if (!cursor.blanks().match(/[:,]/y)) cursor.failExpected('":"');
      members.push([key, readExpression(cursor, context)]);
      cursor.blanks();
      if (cursor.take('}')) return;
      if (!cursor.take(',')) cursor.failExpected('"," or "}"');
    }
  });
  return expression(cursor.blamed(start), (environment) => {
    const map = new Map<string, Value>();
    for (const [key, value] of members) map.set(textOf(environment, key), required(environment, value));
    return map;
  });
}

interface Step {
  readonly context: ReadContext;
  readonly operand: Expression;
  readonly start: number;
}

/** Reads one step behind an operand: `.name`, `[…]`, `(…)`, `?builtin`, `!default`, `??`. */
function readStep(cursor: Cursor, step: Step): Expression | undefined {
  const before = cursor.at;
  cursor.blanks();
  if (cursor.match(/\.(?!\.)/y)) return readMember(cursor, step);
  if (cursor.take('??')) return existence(step.operand, cursor.blamed(step.start));
  if (cursor.match(/\?(?!\?)/y)) return readBuiltin(cursor, step);
  if (cursor.match(/!(?!=)/y)) return readDefault(cursor, step);
  if (cursor.peek('[') && isIndexHere(cursor, before)) return readIndex(cursor, step);
  if (cursor.take('(')) return readCall(cursor, step);
  cursor.at = before;
  return undefined;
}

/** In `<@m a [1]>` the blank does not matter either; only a tag's own bracket ends it. */
function isIndexHere(cursor: Cursor, before: number): boolean {
  return cursor.closer !== ']' || cursor.at === before || cursor.nesting > 0;
}

function readMember(cursor: Cursor, { operand, start }: Step): Expression {
  cursor.blanks();
  const name = cursor.match(/\*\*?/y)?.[0] ?? cursor.identifier();
  if (name === undefined) cursor.failExpected('a name after "."');
  return expression(cursor.blamed(start), (environment) => {
    return member(environment, { value: required(environment, operand), operand }, name);
  });
}

function readIndex(cursor: Cursor, { context, operand, start }: Step): Expression {
  cursor.at++;
  const key = bracketed(cursor, () => readExpression(cursor, context));
  cursor.expect(']');
  const blamed = cursor.blamed(start);
  return expression(blamed, (environment) => {
    const value = required(environment, operand);
    return itemOrMember(environment, { value, operand }, { value: required(environment, key), key });
  });
}

function readCall(cursor: Cursor, { context, operand, start }: Step): Expression {
  const args = readList(cursor, context, ')');
  const blamed = cursor.blamed(start);
  return expression(blamed, (environment) => {
    const callee = required(environment, operand);
    const values = args.map((argument) => argument.evaluate(environment));
    return callFunction(environment, { callee, values, operand }, blamed);
  });
}

function existence(operand: Expression, blamed: Blamed): Expression {
  return expression(blamed, (environment) => !isMissing(evaluateLenient(environment, operand)));
}

function readDefault(cursor: Cursor, { context, operand, start }: Step): Expression {
  const before = cursor.at;
  cursor.blanks();
  let fallback: Expression | undefined;
  if (startsOperand(cursor) && !isNamedArgument(cursor)) fallback = readExpression(cursor, context);
  else cursor.at = before;
  return expression(cursor.blamed(start), (environment) => {
    const value = evaluateLenient(environment, operand);
    if (!isMissing(value)) return value;
    return fallback ? fallback.evaluate(environment) : nothing;
  });
}

/** In `<@m a=b! c=1/>` the name after `!` begins the next argument. */
function isNamedArgument(cursor: Cursor): boolean {
  const start = cursor.at;
  const isArgument = cursor.identifier() !== undefined && cursor.blanks().match(/=(?!=)/y) !== undefined;
  cursor.at = start;
  return isArgument;
}
