import { Decimal } from 'decimal.js';
import { EvaluationError } from '../error.ts';
import { formatJavaNumber, parseJavaDouble, parseJavaLong } from '#core/java';

/** A number with its type in Java, which decides about overflow, division and spelling. */
export type JavaNumber =
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'long'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number };

const integerMax = 2n ** 31n - 1n;
const integerMin = -(2n ** 31n);
const Exact = Decimal.clone({ precision: 400, rounding: Decimal.ROUND_HALF_UP });

export function integer(value: number): JavaNumber {
  return { kind: 'integer', value };
}

export function double(value: number): JavaNumber {
  return { kind: 'double', value };
}

/** A whole number as the smallest type that holds it; beyond long it wraps around as in Java. */
export function whole(value: bigint): JavaNumber {
  if (value >= integerMin && value <= integerMax) return { kind: 'integer', value: Number(value) };
  return { kind: 'long', value: BigInt.asIntN(64, value) };
}

/**
 * Reads text as Java would: integer, else long, else double; undefined for other text.
 */
export function parseJavaNumber(text: string): JavaNumber | undefined {
  const long = parseJavaLong(text);
  if (long !== undefined) return whole(long);
  const value = parseJavaDouble(text);
  return value === undefined ? undefined : double(value);
}

/** The number as Java writes it. */
export function numberText(number: JavaNumber): string {
  return number.kind === 'double' ? formatJavaNumber(number.value) : String(number.value);
}

/** Two numbers of which at least one has a fraction, or none has. */
function areWhole(left: JavaNumber, right: JavaNumber): boolean {
  return left.kind !== 'double' && right.kind !== 'double';
}

function exact(number: JavaNumber): Decimal {
  if (number.kind === 'double' && !Number.isFinite(number.value)) {
    throw new EvaluationError(`cannot calculate with ${numberText(number)}`);
  }
  return new Exact(String(number.value));
}

export type Calculation = (left: JavaNumber, right: JavaNumber) => JavaNumber;

export const add: Calculation = (left, right) =>
  areWhole(left, right)
    ? whole(BigInt(left.value) + BigInt(right.value))
    : double(exact(left).plus(exact(right)).toNumber());

export const subtract: Calculation = (left, right) =>
  areWhole(left, right)
    ? whole(BigInt(left.value) - BigInt(right.value))
    : double(exact(left).minus(exact(right)).toNumber());

export const multiply: Calculation = (left, right) =>
  areWhole(left, right)
    ? whole(BigInt(left.value) * BigInt(right.value))
    : double(exact(left).times(exact(right)).toNumber());

export const remainder: Calculation = (left, right) => {
  if (Number(right.value) === 0) throw new EvaluationError('the remainder of a division by zero');
  if (areWhole(left, right)) return whole(BigInt(left.value) % BigInt(right.value));
  return double(exact(left).modulo(exact(right)).toNumber());
};

/** Integers divide exactly or to a double; with a double the result has as many digits as the left operand. */
export const divide: Calculation = (left, right) => {
  if (Number(right.value) === 0) throw new EvaluationError('a division by zero');
  if (left.kind === 'integer' && right.kind === 'integer') {
    const quotient = left.value / right.value;
    return Number.isInteger(quotient) ? whole(BigInt(quotient)) : double(quotient);
  }
  if (areWhole(left, right)) return double(Number(left.value) / Number(right.value));
  const scale = scaleOf(left);
  return double(exact(left).dividedBy(exact(right)).toDecimalPlaces(scale, Decimal.ROUND_HALF_UP).toNumber());
};

/** Digits behind the point in the text of Java. */
function scaleOf(number: JavaNumber): number {
  if (number.kind !== 'double') return 0;
  const text = formatJavaNumber(number.value);
  const exponent = Number(/E(-?[0-9]+)$/.exec(text)?.[1] ?? 0);
  const fraction = /\.([0-9]+)/.exec(text)?.[1] ?? '';
  return Math.max(0, fraction.length - exponent);
}

/** Rounds half up to `digits` behind the point. */
export function roundTo(number: JavaNumber, digits: number): JavaNumber {
  return double(exact(number).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).toNumber());
}

/** Order of two numbers. Longs cannot be compared in the original (runtime-core 8.5). @throws EvaluationError */
export function order(left: JavaNumber, right: JavaNumber): number {
  if (left.kind === 'long' || right.kind === 'long') {
    throw new EvaluationError('numbers beyond 32 bits cannot be compared with <, >, <= or >=');
  }
  return left.value - right.value;
}
