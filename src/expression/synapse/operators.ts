import { EvaluationError } from '../error.ts';
import { add, divide, multiply, order, remainder, subtract, type Calculation } from './numbers.ts';
import { describe, expectBoolean, expectNumber, isNumber, toText, type SynapseValue } from './values.ts';

export type Operation = (left: SynapseValue, right: SynapseValue) => SynapseValue;

function ofNumbers(calculate: Calculation): Operation {
  return (left, right) => calculate(expectNumber(left), expectNumber(right));
}

function ofOrder(accepts: (order: number) => boolean): Operation {
  return (left, right) => accepts(order(expectNumber(left), expectNumber(right)));
}

function plus(left: SynapseValue, right: SynapseValue): SynapseValue {
  if (isNumber(left) && isNumber(right)) return add(left, right);
  if (isText(left) && isText(right)) return toText(left) + toText(right);
  throw new EvaluationError(`cannot add ${describe(left)} and ${describe(right)}`);
}

function isText(value: SynapseValue): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && 'nodes' in value);
}

/** Null equals null only; everything else compares by its string form. */
function equal(left: SynapseValue, right: SynapseValue): boolean {
  return left === null || right === null ? left === right : toText(left) === toText(right);
}

/** The binary operators (runtime-core 8.5). Both operands are always evaluated. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['+', plus],
  ['-', ofNumbers(subtract)],
  ['*', ofNumbers(multiply)],
  ['/', ofNumbers(divide)],
  ['%', ofNumbers(remainder)],
  ['==', equal],
  ['!=', (left, right) => !equal(left, right)],
  ['<', ofOrder((sign) => sign < 0)],
  ['<=', ofOrder((sign) => sign <= 0)],
  ['>', ofOrder((sign) => sign > 0)],
  ['>=', ofOrder((sign) => sign >= 0)],
  ['and', (left, right) => [expectBoolean(left), expectBoolean(right)].every(Boolean)],
  ['or', (left, right) => [expectBoolean(left), expectBoolean(right)].some(Boolean)],
]);
