import { Decimal } from 'decimal.js';
import { JsonNumber, stringifyJson, type JsonValue } from '#json';
import { EvaluationError } from '../error.ts';
import { formatJavaNumber } from '#core/java';

type PathFunction = (value: JsonValue, args: readonly JsonValue[]) => JsonValue | undefined;

/** Functions that may end a path (runtime-core 8.3), named in lower case. */
const functions: ReadonlyMap<string, PathFunction> = new Map<string, PathFunction>([
  ['length', length],
  ['size', length],
  ['min', (value, args) => double(Math.min(...numbersOf(value, args)))],
  ['max', (value, args) => double(Math.max(...numbersOf(value, args)))],
  ['avg', (value, args) => double(average(numbersOf(value, args)))],
  ['sum', (value, args) => double(sum(numbersOf(value, args)))],
  ['stddev', (value, args) => double(deviation(numbersOf(value, args)))],
  ['keys', (value) => (value instanceof Map ? [...value.keys()] : null)],
  ['first', (value) => (Array.isArray(value) ? value[0] : undefined)],
  ['last', (value) => (Array.isArray(value) ? value.at(-1) : undefined)],
  [
    'index',
    (value, [index]) =>
      Array.isArray(value) && index instanceof JsonNumber ? value.at(Number(index.text)) : undefined,
  ],
  ['concat', (value, args) => [...itemsOf(value), ...args.flatMap(itemsOf)].map(plain).join('')],
  ['append', (value, args) => (Array.isArray(value) ? [...value, ...args] : value)],
]);

export function isPathFunction(name: string): boolean {
  return functions.has(name.toLowerCase());
}

/** Functions on numbers take all values of a path together, others each value by itself. */
export function functionKind(name: string): 'numbers' | 'length' | 'value' {
  const lower = name.toLowerCase();
  if (['min', 'max', 'avg', 'sum', 'stddev'].includes(lower)) return 'numbers';
  return lower === 'length' || lower === 'size' ? 'length' : 'value';
}

/** Applies a function; undefined when the value is not of its kind. @throws EvaluationError without any number */
export function applyFunction(name: string, value: JsonValue, args: readonly JsonValue[]): JsonValue | undefined {
  return functions.get(name.toLowerCase())?.(value, args);
}

/** Scalars, strings too, have no length in Jayway. */
function length(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return new JsonNumber(String(value.length));
  return value instanceof Map ? new JsonNumber(String(value.size)) : null;
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? [value] : [];
}

function plain(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

function numbersOf(value: JsonValue, args: readonly JsonValue[]): number[] {
  const candidates = [
    ...(Array.isArray(value) ? value : []),
    ...args.flatMap((each) => (Array.isArray(each) ? each : [each])),
  ];
  const numbers = candidates.filter((each) => each instanceof JsonNumber).map((each) => Number(each.text));
  if (numbers.length === 0) throw new EvaluationError('a numeric JSONPath function found no numbers');
  return numbers;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total.plus(each), new Decimal(0)).toNumber();
}

function average(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}

/** Jayway's formula, to the last digit. */
function deviation(numbers: readonly number[]): number {
  const total = numbers.reduce((result, each) => result + each, 0);
  const squares = numbers.reduce((result, each) => result + each * each, 0);
  const count = numbers.length;
  return Math.sqrt(Math.max(0, squares / count - (total * total) / count / count));
}

function double(value: number): JsonNumber {
  return new JsonNumber(formatJavaNumber(value));
}
