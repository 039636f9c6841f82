import { isNumericOperator, readOperand } from './read-operand.ts';
import { and, arithmetic, comparison, descendants, negation, or, range, signed, type Comparison } from './operators.ts';
import type { Cursor } from './cursor.ts';
import type { OutputContext } from './environment.ts';
import type { Expression } from './expression.ts';

/** What an expression needs to know of the template around it. */
export interface ReadContext {
  readonly output: OutputContext;
  /** Names of the variables of the lists around. */
  readonly loopNames: ReadonlySet<string>;
  /** Names that stand for other expressions: the variable of `<#escape>`, and `name` of `a..name`. */
  readonly substitutions?: ReadonlyMap<string, Expression>;
  /** True while the part behind `..` is read for the second time. */
  readonly isDescending?: boolean;
}

/** Reads one expression; the cursor stands behind it afterwards. @throws TemplateSyntaxError */
export function readExpression(cursor: Cursor, context: ReadContext): Expression {
  cursor.blanks();
  return cursor.nested(() => readOr(cursor, context));
}

type Level = (cursor: Cursor, context: ReadContext) => Expression;

function readOr(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  let left = readAnd(cursor, context);
  while (takeOperator(cursor, /\|\|?/y)) left = or(left, operand(cursor, context, readAnd), cursor.blamed(start));
  return left;
}

function readAnd(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  let left = readEquality(cursor, context);
  while (takeOperator(cursor, /&&?(?![a-z]+;)|&amp;&amp;|\\and\b/y)) {
    left = and(left, operand(cursor, context, readEquality), cursor.blamed(start));
  }
  return left;
}

const equalities: Readonly<Record<string, Comparison>> = { '=': '==', '==': '==', '!=': '!=' };

function readEquality(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  const left = readRelation(cursor, context);
  const operator = takeOperator(cursor, /==?|!=/y);
  if (operator === undefined) return left;
  const right = operand(cursor, context, readRelation);
  return comparison(equalities[operator] ?? '==', { left, right }, cursor.blamed(start));
}

const relations: Readonly<Record<string, Comparison>> = {
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '&lt;': '<',
  '&lt;=': '<=',
  '&gt;': '>',
  '&gt;=': '>=',
};

function readRelation(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  const left = readRange(cursor, context);
  // At the outer level of a tag `>` ends it.
  const isClosing = cursor.closer === '>' && cursor.nesting === 0;
  const words = /\\?(?:lte|lt|gte|gt)(?![\p{L}\p{N}_$@])|&lt;=?|&gt;=?|<=?(?![#@/])/uy;
  const signs = /\\?(?:lte|lt|gte|gt)(?![\p{L}\p{N}_$@])|&lt;=?|&gt;=?|<=?(?![#@/])|>=?/uy;
  const operator = takeOperator(cursor, isClosing ? words : signs);
  if (operator === undefined) return left;
  const right = operand(cursor, context, readRange);
  return comparison(relations[operator.replace('\\', '')] ?? '<', { left, right }, cursor.blamed(start));
}

function readRange(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  const left = readSum(cursor, context);
  const operator = takeOperator(cursor, /\.\.[<!*]?/y);
  if (operator === undefined) return left;
  cursor.blanks();
  const hasEnd = operator !== '..' || startsOperand(cursor);
  const rightStart = cursor.at;
  const right = hasEnd ? cursor.nested(() => readSum(cursor, context)) : undefined;
  const descent = operator === '..' && right ? readDescent(cursor, { left, at: rightStart }, context) : undefined;
  return range(operator === '..!' ? '..<' : operator, { left, right, descent }, cursor.blamed(start));
}

/** Of XML, `a..name` finds descendants; so what follows `..` is read again with the name standing for them. */
function readDescent(
  cursor: Cursor,
  { left, at }: { left: Expression; at: number },
  context: ReadContext,
): Expression | undefined {
  const end = cursor.at;
  cursor.at = at;
  const name = context.isDescending ? undefined : cursor.peekIdentifier();
  if (name === undefined) {
    cursor.at = end;
    return undefined;
  }
  const substitutions = new Map(context.substitutions).set(name, descendants(left, name));
  return readSum(cursor, { ...context, substitutions, isDescending: true });
}

/** True when an operand can begin here, so that `1..` and `x!` know whether something follows. */
export function startsOperand(cursor: Cursor): boolean {
  const next = /["'\p{L}_$@\p{Nd}([{+]|!(?=[\s!]*["'\p{L}_$@\p{Nd}([{.+-])|-(?!-)|\.(?=[a-z])|\\[-.:#]/uy;
  const start = cursor.at;
  const isOperand = cursor.match(next) !== undefined;
  cursor.at = start;
  if (!isOperand) return false;
  const word = cursor.peekIdentifier() ?? '';
  if (cursor.peek('!=')) return false;
  return !/^(?:lte?|gte?|as|in|using)$/.test(word);
}

function readSum(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  let left = readProduct(cursor, context);
  for (;;) {
    const operator = takeOperator(cursor, /\+(?![+=])|-(?![-=]|>)/y);
    if (operator === undefined) return left;
    const right = operand(cursor, context, readProduct);
    left = arithmetic(operator === '+' ? '+' : '-', { left, right }, cursor.blamed(start));
  }
}

function readProduct(cursor: Cursor, context: ReadContext): Expression {
  const start = cursor.at;
  let left = readUnary(cursor, context);
  for (;;) {
    const operator = takeOperator(cursor, /\*(?![=*])|\/(?![=>\]])|%(?!=)/y);
    if (operator === undefined || !isNumericOperator(operator)) return left;
    const right = operand(cursor, context, readUnary);
    left = arithmetic(operator, { left, right }, cursor.blamed(start));
  }
}

function readUnary(cursor: Cursor, context: ReadContext): Expression {
  cursor.blanks();
  const start = cursor.at;
  if (cursor.match(/!(?!=)/y)) {
    const operand = cursor.nested(() => readUnary(cursor, context));
    return negation(operand, cursor.blamed(start));
  }
  const sign = cursor.match(/[+-]/y)?.[0];
  if (sign !== undefined) {
    const operand = cursor.nested(() => readUnary(cursor, context));
    return signed(sign === '-', operand, cursor.blamed(start));
  }
  return readOperand(cursor, context);
}

function operand(cursor: Cursor, context: ReadContext, level: Level): Expression {
  cursor.blanks();
  return cursor.nested(() => level(cursor, context));
}

/** Takes an operator with the blanks before it; the blanks stay where no operator follows. */
function takeOperator(cursor: Cursor, operator: RegExp): string | undefined {
  const start = cursor.at;
  const found = cursor.blanks().match(operator)?.[0];
  if (found === undefined) cursor.at = start;
  return found;
}
