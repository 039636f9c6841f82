import type { Decimal } from 'decimal.js';
import { TemplateFailure, type Blamed } from './errors.ts';
import {
  arrayOf,
  conditionOf,
  describe,
  itemsOf,
  missing,
  numberFrom,
  numberOf,
  required,
  textOrMarkup,
  wrongType,
} from './convert.ts';
import { calculations, decimalOf, Exact, type Operator } from './numbers.ts';
import { Markup } from './output-format.ts';
import { Range } from './range.ts';
import { DateValue, isHash, isNumeric, nothing, TextMatch, type Hash, type Value } from './values.ts';
import { XmlNodes } from './xml-nodes.ts';
import type { Environment } from './environment.ts';
import type { Expression } from './expression.ts';

interface Sides {
  readonly left: Expression;
  readonly right: Expression;
}

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** Makes an expression of a place and a way to evaluate it. */
export function expression(blamed: Blamed, evaluate: (environment: Environment) => Value): Expression {
  return { ...blamed, form: 'other', evaluate };
}

export function or(left: Expression, right: Expression, blamed: Blamed): Expression {
  return expression(blamed, (environment) => conditionOf(environment, left) || conditionOf(environment, right));
}

export function and(left: Expression, right: Expression, blamed: Blamed): Expression {
  return expression(blamed, (environment) => conditionOf(environment, left) && conditionOf(environment, right));
}

export function negation(operand: Expression, blamed: Blamed): Expression {
  return expression(blamed, (environment) => !conditionOf(environment, operand));
}

export function signed(isMinus: boolean, operand: Expression, blamed: Blamed): Expression {
  return expression(blamed, (environment) => {
    const value = numberFrom(environment, operand);
    return isMinus ? decimalOf(value).negated() : value;
  });
}

/** `+ - * / %`; `+` also joins texts, sequences and hashes. */
export function arithmetic(operator: Operator, { left, right }: Sides, blamed: Blamed): Expression {
  return expression(blamed, (environment) => {
    const first = required(environment, left);
    const second = required(environment, right);
    if (operator === '+' && !(isNumeric(first) && isNumeric(second))) {
      return join(environment, { first, second, left, right }, blamed);
    }
    return calculate(operator, { first, second, left, right }, blamed);
  });
}

export interface Operands {
  readonly first: Value;
  readonly second: Value;
  readonly left: Blamed;
  readonly right: Blamed;
}

/** Calculates with two numbers. @throws TemplateFailure for other values, a division by zero, and giants */
export function calculate(operator: Operator, { first, second, left, right }: Operands, blamed: Blamed): Decimal {
  const a = decimalOf(numberOf(first, left));
  const b = decimalOf(numberOf(second, right));
  const divisor = operator === '%' ? b.trunc() : b;
  if ((operator === '/' || operator === '%') && divisor.isZero()) {
    throw new TemplateFailure('other', 'A division by zero', blamed);
  }
  const result = calculations[operator](a, b);
  if (result.isFinite() && result.e > 1000) {
    throw new TemplateFailure('limit', 'A number has more than 1000 digits', blamed);
  }
  return result;
}

/** `+` of anything but two numbers. */
export function join(environment: Environment, operands: Operands, blamed: Blamed): Value {
  const { first, second, left, right } = operands;
  if (isList(first) && isList(second)) {
    const items = [...arrayOf(environment, first, left), ...arrayOf(environment, second, right)];
    return items;
  }
  if (isHash(first) && isHash(second) && !(first === nothing && second === nothing)) return joinHashes(first, second);
  const a = textOrMarkup(environment, first, left);
  const b = textOrMarkup(environment, second, right);
  if (typeof a === 'string' && typeof b === 'string') {
    environment.checkLength(a.length + b.length, blamed);
    return a + b;
  }
  return joinMarkup(a, b, blamed);
}

function isList(value: Value): boolean {
  return itemsOf(value) !== undefined && !(value instanceof XmlNodes && value.isSingle);
}

function joinHashes(first: Hash, second: Hash): Hash {
  const members = new Map<string, Value>();
  for (const hash of [first, second]) for (const key of hash.keys()) members.set(key, hash.get(key));
  return members;
}

function joinMarkup(first: string | Markup, second: string | Markup, blamed: Blamed): Markup {
  const format = first instanceof Markup ? first.format : second instanceof Markup ? second.format : undefined;
  if (!format) throw new TemplateFailure('type', 'Two texts are no markup', blamed);
  const markup = (value: string | Markup): string => {
    if (typeof value === 'string') return format.escape?.(value) ?? value;
    if (value.format.name === format.name) return value.text;
    throw new TemplateFailure('type', `${value.format.name} markup cannot be joined to ${format.name}`, blamed);
  };
  return new Markup(format, markup(first) + markup(second));
}

/** `== != < <= > >=` of two values of the same kind. */
export function comparison(operator: Comparison, { left, right }: Sides, blamed: Blamed): Expression {
  return expression(blamed, (environment) => {
    const first = required(environment, left);
    const second = required(environment, right);
    return compare(operator, { first, second, left, right }, blamed);
  });
}

/** Compares two values; see `comparison`. */
export function compare(operator: Comparison, operands: Operands, blamed: Blamed): boolean {
  const { first, second, left, right } = operands;
  if (isNumeric(first) && isNumeric(second)) return holds(operator, decimalOf(first).comparedTo(decimalOf(second)));
  if (first instanceof DateValue && second instanceof DateValue) {
    if (first.type !== second.type) {
      throw new TemplateFailure('type', `A ${first.type} cannot be compared with a ${second.type}`, blamed);
    }
    return holds(operator, first.millis - second.millis);
  }
  const a = comparableText(first);
  const b = comparableText(second);
  const isEquality = operator === '==' || operator === '!=';
  if (a !== undefined && b !== undefined) {
    if (isEquality) return holds(operator, a === b ? 0 : 1);
    throw new TemplateFailure('type', `Strings are not ordered, so "${operator}" cannot compare them`, blamed);
  }
  if (typeof first === 'boolean' && typeof second === 'boolean') {
    if (isEquality) return holds(operator, first === second ? 0 : 1);
    throw new TemplateFailure('type', `Booleans are not ordered, so "${operator}" cannot compare them`, blamed);
  }
  if (first === undefined || first === null) throw missing(left);
  if (second === undefined || second === null) throw missing(right);
  throw new TemplateFailure('type', `"${operator}" cannot compare ${describe(first)} with ${describe(second)}`, blamed);
}

function comparableText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof XmlNodes) return value.text();
  if (value instanceof TextMatch) return value.text;
  return value === nothing ? '' : undefined;
}

function holds(operator: Comparison, order: number): boolean {
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** The descendants of this name in the XML that an expression yields. */
export function descendants(left: Expression, name: string): Expression {
  return expression(left, (environment) => {
    const from = required(environment, left);
    if (from instanceof XmlNodes) return from.descendants(name, environment.namespaces);
    throw wrongType('XML', from, left);
  });
}

/** The two ends of a range; `descent` is what `a..b` means when `a` is XML. */
export interface RangeParts {
  readonly left: Expression;
  readonly right: Expression | undefined;
  readonly descent: Expression | undefined;
}

/** `a..b`, `a..<b`, `a..*n` and `a..`; of XML, `a..name` finds the descendants of that name. */
export function range(operator: string, { left, right, descent }: RangeParts, blamed: Blamed): Expression {
  return expression(blamed, (environment) => {
    const from = required(environment, left);
    if (descent && from instanceof XmlNodes) return descent.evaluate(environment);
    const start = wholeNumber(from, left);
    if (!right) return new Range(start, Number.POSITIVE_INFINITY, { step: 1 });
    const end = wholeNumber(required(environment, right), right);
    if (operator === '..*') return new Range(start, Math.abs(end), { step: end < 0 ? -1 : 1, isLengthLimited: true });
    const step = end < start ? -1 : 1;
    return new Range(start, Math.abs(end - start) + (operator === '..<' ? 0 : 1), { step });
  });
}

function wholeNumber(value: Value, blamed: Blamed): number {
  const decimal = decimalOf(numberOf(value, blamed)).trunc();
  const number = decimal.toNumber();
  if (Math.abs(number) <= 2 ** 31) return number;
  throw new TemplateFailure('other', 'The ends of a range must be numbers of 32 bits', blamed);
}

/** A number of the template. */
export function literalNumber(text: string): Decimal {
  return new Exact(text);
}
