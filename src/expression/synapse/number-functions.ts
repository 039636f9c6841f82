import { EvaluationError } from '../error.ts';
import type { SynapseFunction } from './functions.ts';
import { double, roundTo, whole, type JavaNumber } from './numbers.ts';
import { expectInteger, expectNumber, type SynapseValue } from './values.ts';

/** Whole numbers stay of their type, doubles stay doubles. */
function keepingType(ofWhole: (value: bigint) => bigint, ofDouble: (value: number) => number): SynapseFunction {
  const call = ([value = null]: readonly SynapseValue[]): JavaNumber => {
    const number = expectNumber(value);
    return number.kind === 'double' ? double(ofDouble(number.value)) : whole(ofWhole(BigInt(number.value)));
  };
  return { arity: [1, 1], call };
}

/** Functions on numbers (runtime-core 8.6). */
export const numberFunctions: readonly (readonly [string, SynapseFunction])[] = [
  ['abs', keepingType((value) => (value < 0n ? -value : value), Math.abs)],
  ['ceil', keepingType((value) => value, Math.ceil)],
  ['floor', keepingType((value) => value, Math.floor)],
  ['round', { arity: [1, 2], call: round }],
  ['sqrt', { arity: [1, 1], call: ([value = null]) => double(Math.sqrt(numeric(value))) }],
  ['pow', { arity: [2, 2], call: ([base = null, power = null]) => double(numeric(base) ** numeric(power)) }],
  ['log', { arity: [1, 2], call: log }],
];

function numeric(value: SynapseValue): number {
  return Number(expectNumber(value).value);
}

function round([value = null, digits]: readonly SynapseValue[]): SynapseValue {
  const number = expectNumber(value);
  if (number.kind !== 'double') return number;
  const places = digits === undefined ? 0 : expectInteger(digits);
  if (places > 0) return roundTo(number, places);
  if (!Number.isFinite(number.value)) throw new EvaluationError('only finite numbers can be rounded');
  return whole(BigInt(Math.round(number.value)));
}

function log([value = null, base]: readonly SynapseValue[]): SynapseValue {
  const number = numeric(value);
  return double(base === undefined ? Math.log10(number) : Math.log(number) / Math.log(numeric(base)));
}
