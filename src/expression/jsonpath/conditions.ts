import { compareJsonNumbers, jsonEquals, JsonNumber, stringifyJson, type JsonValue } from '#json';
import type { Scope } from '../scope.ts';
import type { Condition, Operand } from './ast.ts';
import { evaluatePath } from './evaluate.ts';

/** Where a filter's operands look: the candidate, the whole document and the message. */
export interface FilterContext {
  readonly candidate: JsonValue;
  readonly root: JsonValue;
  readonly scope: Scope | undefined;
}

/** Whether a filter accepts its candidate. */
export function holds(condition: Condition, context: FilterContext): boolean {
  switch (condition.kind) {
    case 'or':
      return holds(condition.left, context) || holds(condition.right, context);
    case 'and':
      return holds(condition.left, context) && holds(condition.right, context);
    case 'not':
      return !holds(condition.operand, context);
    case 'exists':
      return valueOf(condition.operand, context) !== undefined;
    case 'compare':
      return compareOperands(condition, context);
  }
}

/** The value of an operand; undefined when its path leads nowhere. */
export function valueOf(operand: Operand, context: FilterContext): JsonValue | undefined {
  switch (operand.kind) {
    case 'literal':
      return operand.value;
    case 'path':
      return evaluatePath(operand.path.steps, operand.path.relative ? context.candidate : context.root, context);
    case 'embedded':
      return context.scope && operand.evaluate(context.scope);
    case 'pattern':
      return undefined;
  }
}

function compareOperands(
  { operator, left, right }: Extract<Condition, { kind: 'compare' }>,
  context: FilterContext,
): boolean {
  if (operator === '=~') return matches(left, right, context);
  const one = valueOf(left, context);
  const two = valueOf(right, context);
  const compare = comparisons.get(operator);
  return compare ? compare(one, two) : false;
}

function matches(left: Operand, right: Operand, context: FilterContext): boolean {
  const pattern = right.kind === 'pattern' ? right : left;
  const value = valueOf(right.kind === 'pattern' ? left : right, context);
  if (pattern.kind !== 'pattern') return false;
  const candidates = Array.isArray(value) ? value : [value];
  return candidates.some((candidate) => pattern.matches(textToMatch(candidate)));
}

/** Jayway matches what is missing, null or an object as an empty text, and of an array any item. */
function textToMatch(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber || typeof value === 'boolean' ? stringifyJson(value) : '';
}

type Comparison = (left: JsonValue | undefined, right: JsonValue | undefined) => boolean;

const comparisons: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['==', equal],
  ['!=', (left, right) => !equal(left, right)],
  ['<', (left, right) => ordered(left, right, (order) => order < 0)],
  ['<=', (left, right) => ordered(left, right, (order) => order <= 0)],
  ['>', (left, right) => ordered(left, right, (order) => order > 0)],
  ['>=', (left, right) => ordered(left, right, (order) => order >= 0)],
  ['in', (left, right) => left !== undefined && includes(right, left)],
  ['nin', (left, right) => left === undefined || !includes(right, left)],
  ['subsetof', (left, right) => Array.isArray(left) && left.every((item) => includes(right, item))],
  ['anyof', (left, right) => Array.isArray(left) && left.some((item) => includes(right, item))],
  ['noneof', (left, right) => Array.isArray(left) && !left.some((item) => includes(right, item))],
  ['contains', contains],
  ['size', (left, right) => right instanceof JsonNumber && sizeOf(left) === Number(right.text)],
  ['empty', (left, right) => sizeOf(left) !== undefined && (sizeOf(left) === 0) === (right === true)],
]);

/** Jayway's equality: a number equals a string of the same number, nothing else is converted. */
function equal(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (left instanceof JsonNumber && typeof right === 'string')
    return right.trim() !== '' && Number(left.text) === Number(right);
  if (typeof left === 'string' && right instanceof JsonNumber) return left === right.text;
  return jsonEquals(left, right);
}

function ordered(
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  accepts: (order: number) => boolean,
): boolean {
  if (left instanceof JsonNumber && right instanceof JsonNumber) return accepts(compareJsonNumbers(left, right));
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  return accepts(left === right ? 0 : left < right ? -1 : 1);
}

function includes(list: JsonValue | undefined, item: JsonValue): boolean {
  return Array.isArray(list) && list.some((each) => equal(each, item));
}

function contains(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (typeof left === 'string') return typeof right === 'string' && left.includes(right);
  return right !== undefined && includes(left, right);
}

function sizeOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
}
