import { nearestName } from '#errors';
import { builtins } from './builtins/index.ts';
import { expression } from './operators.ts';
import { isMissing, type Value } from './values.ts';
import { missing } from './convert.ts';
import { snakeCase } from './names.ts';
import { bracketed } from './read-operand.ts';
import { readExpression, startsOperand, type ReadContext } from './read-expression.ts';
import type { Cursor } from './cursor.ts';
import type { Expression, Lambda } from './expression.ts';
import type { Environment } from './environment.ts';

/** Built-ins that exist but that a template of a message must not use. */
const refused: ReadonlySet<string> = new Set(['new', 'api', 'has_api', 'eval', 'eval_json', 'interpret']);

/** Built-ins whose format may be written as a member: `?string.short`, `?datetime.iso`. */
const formatted: ReadonlySet<string> = new Set(['string', 'date', 'time', 'datetime']);

/** Reads a built-in after its `?`, with its arguments. */
export function readBuiltin(
  cursor: Cursor,
  step: { readonly context: ReadContext; readonly operand: Expression; readonly start: number },
): Expression {
  const { context, operand, start } = step;
  const nameStart = cursor.blanks().at;
  const written = cursor.identifier();
  if (written === undefined) cursor.failExpected('the name of a built-in after "?"');
  const name = snakeCase(written);
  if (refused.has(name)) cursor.fail(`The built-in "?${name}" is not allowed in templates of messages`, nameStart);
  const builtin = builtins.get(name);
  if (!builtin) {
    const near = nearestName(name, [...builtins.keys()]);
    cursor.fail(`There is no built-in "?${name}"${near === undefined ? '' : `; did you mean "?${near}"?`}`, nameStart);
  }
  const problem = builtin.check?.(context, operand);
  if (problem !== undefined) cursor.fail(problem, nameStart);
  const args = builtin.arity ? readArguments(cursor, { context, name, nameStart, arity: builtin.arity }) : [];
  const member = formatted.has(name) && args.length === 0 ? readStyle(cursor, context) : undefined;
  const all = member ? [member] : args;
  const blamed = cursor.blamed(start);
  const { isLenient } = builtin;
  return expression(blamed, (environment) => {
    const call = { environment, operand, args: all, blamed, context };
    if (isLenient) return builtin.evaluate(undefined, call);
    const value = operand.evaluate(environment);
    if (isMissing(value)) throw missing(operand);
    return builtin.evaluate(value, call);
  });
}

interface Called {
  readonly context: ReadContext;
  readonly name: string;
  readonly nameStart: number;
  readonly arity: readonly [number, number];
}

function readArguments(cursor: Cursor, { context, name, nameStart, arity }: Called): readonly Expression[] {
  const [least, most] = arity;
  const before = cursor.at;
  if (!cursor.blanks().take('(')) {
    cursor.at = before;
    if (least > 0) cursor.fail(`The built-in "?${name}" needs arguments in parentheses`, nameStart);
    return [];
  }
  const args = bracketed(cursor, () => readList(cursor, context));
  if (args.length < least || args.length > most) {
    const wanted = least === most ? String(least) : `${least} to ${Number.isFinite(most) ? most : 'any number of'}`;
    cursor.fail(`The built-in "?${name}" takes ${wanted} arguments, not ${args.length}`, nameStart);
  }
  return args;
}

function readList(cursor: Cursor, context: ReadContext): Expression[] {
  const args: Expression[] = [];
  if (cursor.blanks().take(')')) return args;
  for (;;) {
    args.push(readLambda(cursor, context) ?? readExpression(cursor, context));
    cursor.blanks();
    if (cursor.take(')')) return args;
    // The comma may be left out.
    if (!cursor.take(',') && !startsOperand(cursor)) cursor.failExpected('"," or ")"');
  }
}

/** Reads the format that is written as a member. */
function readStyle(cursor: Cursor, context: ReadContext): Expression | undefined {
  const start = cursor.at;
  if (cursor.take('[')) {
    const format = bracketed(cursor, () => readExpression(cursor, context));
    cursor.expect(']');
    return format;
  }
  if (!cursor.match(/\.(?!\.)/y)) return undefined;
  const name = cursor.identifier();
  if (name === undefined) cursor.failExpected('the name of a format');
  return { ...cursor.blamed(start), form: 'literal', evaluate: () => name };
}

/** `x -> …` or `(x) -> …`; nothing is taken when there is none. */
function readLambda(cursor: Cursor, context: ReadContext): Lambda | undefined {
  const start = cursor.blanks().at;
  const hasBracket = cursor.take('(');
  const name = cursor.blanks().identifier();
  const isClosed = !hasBracket || cursor.blanks().take(')');
  if (name === undefined || !isClosed || !cursor.blanks().match(/->|-&gt;/y)) {
    cursor.at = start;
    return undefined;
  }
  const body = readExpression(cursor, context);
  const blamed = cursor.blamed(start);
  const apply = (environment: Environment, item: Value): Value => {
    const frame = { variables: new Map([[name, item]]), outer: environment.frame };
    return environment.within(frame, () => body.evaluate(environment));
  };
  return { ...blamed, form: 'lambda', apply, evaluate: () => undefined };
}
