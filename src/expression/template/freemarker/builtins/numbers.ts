import type { Decimal } from 'decimal.js';
import { TemplateFailure } from '../errors.ts';
import { computerNumber } from '../number-formats.ts';
import { decimalOf, Exact } from '../numbers.ts';
import { DateValue, isNumeric, TextMatches, type Value } from '../values.ts';
import { booleanOf, wrongType } from '../convert.ts';
import { ofNumber, type Builtin, type BuiltinCall } from './builtin.ts';

/** Built-ins of numbers. */
export const numberBuiltins: Readonly<Record<string, Builtin>> = {
  abs: ofNumber((value) => decimalOf(value).abs()),
  round: ofNumber((value) => decimalOf(value).plus(0.5).floor()),
  floor: ofNumber((value) => decimalOf(value).floor()),
  ceiling: ofNumber((value) => decimalOf(value).ceil()),
  byte: ofNumber((value) => wrapped(decimalOf(value), 8)),
  short: ofNumber((value) => wrapped(decimalOf(value), 16)),
  int: ofNumber((value) => wrapped(decimalOf(value), 32)),
  long: {
    evaluate(value, { operand }) {
      if (value instanceof DateValue) return new Exact(value.millis);
      if (!isNumeric(value)) throw wrongType('a number or a date', value, operand);
      return wrapped(decimalOf(value), 64);
    },
  },
  float: ofNumber((value) => new Exact(Number(Math.fround(decimalOf(value).toNumber()).toPrecision(8)))),
  double: ofNumber((value) => new Exact(decimalOf(value).toNumber())),
  is_nan: ofNumber((value) => decimalOf(value).isNaN()),
  is_infinite: ofNumber((value) => !decimalOf(value).isFinite() && !decimalOf(value).isNaN()),
  c: {
    evaluate(value, { operand }) {
      if (typeof value === 'boolean' || value instanceof TextMatches) return String(booleanOf(value, operand));
      if (!isNumeric(value)) throw wrongType('a number or a boolean', value, operand);
      return computerNumber(value, operand);
    },
  },
  lower_abc: ofNumber((value, call) => letters(decimalOf(value), call)),
  upper_abc: ofNumber((value, call) => letters(decimalOf(value), call).toUpperCase()),
  number_to_date: ofNumber((value, call) => dateOf(decimalOf(value), 'date', call)),
  number_to_time: ofNumber((value, call) => dateOf(decimalOf(value), 'time', call)),
  number_to_datetime: ofNumber((value, call) => dateOf(decimalOf(value), 'datetime', call)),
};

/** Whole numbers of so many bits; what is beyond wraps around, as in Java. */
function wrapped(value: Decimal, bits: number): Decimal {
  if (!value.isFinite()) return new Exact(0);
  return new Exact(String(BigInt.asIntN(bits, BigInt(value.trunc().toFixed()))));
}

/** 1 is a, 27 is aa. */
function letters(value: Decimal, { operand }: BuiltinCall): string {
  let rest = value.trunc().toNumber();
  if (!(rest >= 1 && rest <= 2 ** 31)) throw new TemplateFailure('other', 'The number must be at least 1', operand);
  let text = '';
  for (; rest > 0; rest = Math.floor((rest - 1) / 26)) text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}

function dateOf(value: Decimal, type: DateValue['type'], { operand }: BuiltinCall): Value {
  const millis = value.trunc().toNumber();
  if (Math.abs(millis) <= 8.64e15) return new DateValue(millis, type);
  throw new TemplateFailure('other', 'The number is no date', operand);
}
