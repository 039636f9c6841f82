import { JsonError, parseJson } from '#json';
import { EvaluationError } from '../error.ts';
import type { SynapseFunction } from './functions.ts';
import { parseJavaNumber } from './numbers.ts';
import { describe, expectBoolean, isNumber, toText, type SynapseValue } from './values.ts';

type Container = 'array' | 'object';

function test(accepts: (value: SynapseValue) => boolean): SynapseFunction {
  return { arity: [1, 1], call: ([value = null]) => accepts(value) };
}

/** Functions on types and conversions between them (runtime-core 8.6). */
export const valueFunctions: readonly (readonly [string, SynapseFunction])[] = [
  ['isString', test((value) => typeof value === 'string')],
  // The original knows no native long here.
  ['isNumber', test((value) => isNumber(value) && value.kind !== 'long')],
  ['isArray', test((value) => isContainer(value, 'array') || holds(value, 'array'))],
  ['isObject', test((value) => isContainer(value, 'object') || holds(value, 'object'))],
  ['string', { arity: [1, 1], call: ([value = null]) => toText(value) }],
  ['integer', { arity: [1, 1], call: toInteger }],
  ['float', { arity: [1, 1], call: toDouble }],
  ['boolean', test((value) => toText(value).toLowerCase() === 'true')],
  ['object', { arity: [1, 1], call: ([value = null]) => parsed(value, 'object') }],
  ['array', { arity: [1, 1], call: ([value = null]) => parsed(value, 'array') }],
  ['not', test((value) => !expectBoolean(value))],
];

function isContainer(value: SynapseValue, kind: Container): boolean {
  return kind === 'array' ? Array.isArray(value) : value instanceof Map;
}

/** True for a string that holds JSON of the kind. */
function holds(value: SynapseValue, kind: Container): boolean {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return false;
  try {
    return isContainer(parseJson(value) as SynapseValue, kind);
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

function toInteger([value = null]: readonly SynapseValue[]): SynapseValue {
  const number = parseJavaNumber(toText(value));
  if (number?.kind !== 'integer') throw new EvaluationError(`${describe(value)} is no integer`);
  return number;
}

function toDouble([value = null]: readonly SynapseValue[]): SynapseValue {
  const number = parseJavaNumber(toText(value));
  if (!number) throw new EvaluationError(`${describe(value)} is no number`);
  return { kind: 'double', value: Number(number.value) };
}

/** JSON text as a value. The original removes all backslashes first. */
function parsed(value: SynapseValue, kind: Container): SynapseValue {
  if (isContainer(value, kind)) return value;
  if (typeof value !== 'string') throw new EvaluationError(`expected JSON text but found ${describe(value)}`);
  const result = parseJson(value.replaceAll('\\', ''));
  if (Array.isArray(result) && kind === 'array') return result;
  if (result instanceof Map && kind === 'object') return result;
  throw new EvaluationError(`expected JSON text of an ${kind}`);
}
