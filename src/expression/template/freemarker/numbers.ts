import { Decimal } from 'decimal.js';
import { JsonNumber } from '#json';
import type { Numeric } from './values.ts';

/** Calculations are exact as long as a result has no more digits than this. */
export const Exact = Decimal.clone({ precision: 400, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -1e9, toExpPos: 1e9 });

/** Digits behind the point that products and quotients keep. */
const scale = 12;

/** The exact value of a number; one of the message that no double can hold is infinite. */
export function decimalOf(value: Numeric): Decimal {
  if (!(value instanceof JsonNumber)) return value;
  return value.text.length < 300 && /^[^eE]*$/.test(value.text) ? new Exact(value.text) : unusual(value.text);
}

function unusual(text: string): Decimal {
  const double = Number(text);
  return Number.isFinite(double) && double !== 0 && text.length < 1000 ? new Exact(text) : new Exact(double);
}

/** The number for a quantity of JavaScript. */
export function numeric(value: number): Decimal {
  return new Exact(value);
}

/** What the original has for a number of the message is a double; its exact value counts when it is rounded. */
export function binaryValueOf(value: Numeric): Decimal {
  if (!(value instanceof JsonNumber) || !value.text.includes('.')) return decimalOf(value);
  const double = Number(value.text);
  return Number.isFinite(double) ? new Exact(double.toPrecision(60)) : decimalOf(value);
}

export type Calculation = (left: Decimal, right: Decimal) => Decimal;

export const calculations = {
  '+': (left, right) => left.plus(right),
  '-': (left, right) => left.minus(right),
  '*': (left, right) => left.times(right).toDecimalPlaces(scale, Decimal.ROUND_HALF_UP),
  '/': (left, right) => {
    const places = Math.max(scale, left.decimalPlaces(), right.decimalPlaces());
    return left.dividedBy(right).toDecimalPlaces(places, Decimal.ROUND_HALF_UP);
  },
  // Both sides are cut to whole numbers first, as in Java's long arithmetic.
  '%': (left, right) => left.trunc().modulo(right.trunc()),
} as const satisfies Record<string, Calculation>;

export type Operator = keyof typeof calculations;

/** Reads a number as `?number` does; undefined for other text. */
export function parseNumber(text: string): Numeric | undefined {
  const trimmed = text.trim();
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/.test(trimmed) ? new Exact(trimmed) : undefined;
}
