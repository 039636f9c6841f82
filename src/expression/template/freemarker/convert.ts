import type { Decimal } from 'decimal.js';
import { TemplateFailure, type Blamed } from './errors.ts';
import { formatDate } from './date-formats.ts';
import { formatNumber } from './number-formats.ts';
import { Markup } from './output-format.ts';
import { decimalOf } from './numbers.ts';
import { Range } from './range.ts';
import {
  Callable,
  DateValue,
  isHash,
  isMissing,
  isNumeric,
  nothing,
  TextMatch,
  TextMatches,
  type Numeric,
  type Value,
} from './values.ts';
import { XmlNodes } from './xml-nodes.ts';
import type { Environment } from './environment.ts';
import type { Expression } from './expression.ts';

/** The value of an expression that must have one. @throws TemplateFailure when it is missing */
export function required(environment: Environment, expression: Expression): NonNullable<Value> {
  const value = expression.evaluate(environment);
  if (value === undefined || value === null) throw missing(expression);
  return value;
}

export function missing(blamed: Blamed): TemplateFailure {
  return new TemplateFailure('missing', 'The following has evaluated to null or missing', blamed);
}

/** The failure of a value that is not what is wanted. */
export function wrongType(wanted: string, value: Value, blamed: Blamed): TemplateFailure {
  if (isMissing(value)) return missing(blamed);
  return new TemplateFailure('type', `Expected ${wanted}, but this has evaluated to ${describe(value)}`, blamed);
}

/** What a value is, for messages. */
export function describe(value: Value): string {
  if (isMissing(value)) return 'nothing';
  if (typeof value === 'string' || value instanceof TextMatch) return 'a string';
  if (typeof value === 'boolean') return 'a boolean';
  if (isNumeric(value)) return 'a number';
  if (value instanceof DateValue) return `a ${value.type === 'datetime' ? 'date-time' : value.type}`;
  if (value instanceof XmlNodes) return value.describe();
  if (isHash(value)) return 'a hash';
  if (value instanceof Markup) return `${value.format.name} markup`;
  if (value instanceof Callable) return value.isFunction ? 'a function' : 'a macro';
  return 'a sequence';
}

/** The text of a value where output or a string is wanted; markup where `markup` may come in as it is. */
export function textOrMarkup(environment: Environment, value: Value, blamed: Blamed): string | Markup {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value;
  if (isNumeric(value)) return formatNumber(environment.settings.number_format, value, { environment, blamed });
  if (value instanceof TextMatch) return value.text;
  if (value === nothing) return '';
  if (value instanceof DateValue) {
    return formatDate(environment.settings[`${value.type}_format`], value, { environment, blamed });
  }
  if (typeof value === 'boolean') return booleanText(environment, value, blamed);
  if (value instanceof XmlNodes) {
    const text = value.text();
    if (text !== undefined) return text;
  }
  if (value instanceof TextMatches) return booleanText(environment, value.whole !== undefined, blamed);
  throw wrongType('a string or something that can be written as one (number, date or boolean)', value, blamed);
}

/** The text of a value. @throws TemplateFailure for markup and what has no text */
export function plainText(environment: Environment, value: Value, blamed: Blamed): string {
  const text = textOrMarkup(environment, value, blamed);
  if (text instanceof Markup) throw wrongType('a string', text, blamed);
  return text;
}

/** The text of an expression's value. */
export function textOf(environment: Environment, expression: Expression): string {
  return plainText(environment, required(environment, expression), expression);
}

function booleanText(environment: Environment, value: boolean, blamed: Blamed): string {
  const format = environment.settings.boolean_format;
  const comma = format.indexOf(',');
  if (format === 'c') return String(value);
  if (format === 'true,false' || comma < 0) {
    const hint = 'use ?c, ?string("yes", "no") or <#setting boolean_format="c">';
    throw new TemplateFailure('type', `A boolean is not written as text by itself (${hint})`, blamed);
  }
  return value ? format.slice(0, comma) : format.slice(comma + 1);
}

export function numberOf(value: Value, blamed: Blamed): Numeric {
  if (isNumeric(value)) return value;
  throw wrongType('a number', value, blamed);
}

/** The number that an expression yields. */
export function numberFrom(environment: Environment, expression: Expression): Numeric {
  return numberOf(required(environment, expression), expression);
}

/** A number cut to a whole one. */
export function wholeOf(value: Value, blamed: Blamed): number {
  const decimal: Decimal = decimalOf(numberOf(value, blamed));
  return decimal.trunc().toNumber();
}

export function booleanOf(value: Value, blamed: Blamed): boolean {
  if (typeof value === 'boolean') return value;
  if (value instanceof TextMatches) return value.whole !== undefined;
  throw wrongType('a boolean', value, blamed);
}

/** The boolean that an expression yields. */
export function conditionOf(environment: Environment, expression: Expression): boolean {
  return booleanOf(required(environment, expression), expression);
}

/** A sequence by index, or undefined when the value is none. */
export interface Items extends Iterable<Value> {
  readonly size: number;
  at(index: number): Value;
}

class ArrayItems implements Items {
  readonly #items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return index < 0 ? undefined : this.#items[index];
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#items[Symbol.iterator]();
  }
}

/** The items of a sequence; undefined for what is none. */
export function itemsOf(value: Value): Items | undefined {
  if (isArray(value)) return new ArrayItems(value);
  if (value instanceof Range) return value;
  if (value instanceof XmlNodes) return value;
  if (value instanceof TextMatches) return new ArrayItems(value.items);
  if (value === nothing) return new ArrayItems([]);
  return undefined;
}

/** The items of what must be a sequence. @throws TemplateFailure */
export function sequenceOf(value: Value, blamed: Blamed): Items {
  const items = itemsOf(value);
  if (!items) throw wrongType('a sequence', value, blamed);
  return items;
}

/** The items of a sequence that has an end, as an array that the caller may keep. */
export function arrayOf(environment: Environment, value: Value, blamed: Blamed): readonly Value[] {
  const items = sequenceOf(value, blamed);
  if (!Number.isFinite(items.size)) {
    throw new TemplateFailure('other', 'This range has no end, which is not possible here', blamed);
  }
  environment.step(blamed, items.size);
  return isArray(value) ? value : [...items];
}

export function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
