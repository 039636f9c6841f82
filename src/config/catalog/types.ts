import { parseDuration, type DurationUnit } from './units.ts';

/** A value as the file holds it; tables are flattened before. Dates and times arrive as text. */
export type Raw = string | number | boolean | readonly Raw[];

/** The outcome of reading a raw value: the value, or what was expected instead. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string };

/** How a raw value of the file becomes a value of the program. */
export interface ValueType<T> {
  /** What the reference page calls it. */
  readonly name: string;
  readonly allowed?: readonly (string | boolean)[];
  readonly unit?: string;
  /** True when values must never be shown. */
  readonly secret?: true;
  /** True for free properties: the value is everything below the key's path, by name. */
  readonly bag?: true;
  /** True when texts may hold `${name}` placeholders that are resolved at use. */
  readonly runtimePlaceholders?: true;
  /** JSON Schema of what may be written. */
  readonly schema: Readonly<Record<string, unknown>>;
  parse(raw: Raw): Parsed<T>;
}

/** Free properties by name. */
export type Bag = Readonly<Record<string, string>>;

interface Range {
  readonly min?: number;
  readonly max?: number;
}

const integerText = /^\s*[+-]?\d+\s*$/;
const truths: Readonly<Record<string, boolean>> = {
  true: true,
  TRUE: true,
  True: true,
  false: false,
  FALSE: false,
  False: false,
};

/** Any text; numbers and booleans are taken as their text. */
export function text(): ValueType<string> {
  return {
    name: 'text',
    runtimePlaceholders: true,
    schema: { type: ['string', 'number', 'boolean'] },
    parse: parseText,
  };
}

/** A text that is never shown: masked in logs, commands and the dashboard. */
export function secret(): ValueType<string> {
  return { ...text(), name: 'secret', secret: true };
}

/** The name of a class of the original, or of a module of the extensions' folder. `known` names are built in. */
export function className(known?: readonly string[]): ValueType<string> {
  return { ...text(), name: 'class name', ...(known && { allowed: known }) };
}

/** A text whose listed values are examples: others are accepted. */
export function textLike(...examples: readonly string[]): ValueType<string> {
  return { ...text(), allowed: examples };
}

/** One of `values`. */
export function oneOf<const Value extends string>(...values: readonly Value[]): ValueType<Value> {
  return {
    name: 'one of',
    allowed: values,
    schema: { type: 'string', enum: values },
    parse(raw) {
      const found = values.find((value) => value === String(raw));
      return found === undefined ? failure(`one of ${values.join(', ')}`) : success(found);
    },
  };
}

/** true or false, as TOML booleans or as the texts true, TRUE, True, false, FALSE, False. */
export function boolean(): ValueType<boolean> {
  return {
    name: 'boolean',
    schema: { anyOf: [{ type: 'boolean' }, { enum: Object.keys(truths) }, placeholder] },
    parse(raw) {
      const value = typeof raw === 'boolean' ? raw : truths[String(raw)];
      return value === undefined ? failure('true or false') : success(value);
    },
  };
}

/** A boolean, or the text `other`. */
export function booleanOr<const Other extends string>(other: Other): ValueType<boolean | Other> {
  const base = boolean();
  return {
    name: `boolean or "${other}"`,
    allowed: [true, false, other],
    schema: { anyOf: [base.schema, { const: other }] },
    parse: (raw) => (raw === other ? success(other) : withExpected(base.parse(raw), `true, false or "${other}"`)),
  };
}

/** A whole number; quoted decimal text is accepted. */
export function integer(range: Range = {}): ValueType<number> {
  return {
    name: 'integer',
    schema: { anyOf: [{ type: 'integer', ...limits(range) }, { type: 'string', pattern: '^[+-]?\\d+$' }, placeholder] },
    parse(raw) {
      const value = typeof raw === 'string' && integerText.test(raw) ? Number(raw) : raw;
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return failure('a whole number');
      return inRange(value, range);
    },
  };
}

/** A whole number, or the text `other`. */
export function integerOr<const Other extends string>(other: Other): ValueType<number | Other> {
  const base = integer({ min: 0 });
  return {
    name: `integer or "${other}"`,
    schema: { anyOf: [base.schema, { const: other }] },
    parse: (raw) => (raw === other ? success(other) : withExpected(base.parse(raw), `a whole number or "${other}"`)),
  };
}

/** A number with or without fraction. */
export function decimal(range: Range = {}): ValueType<number> {
  return {
    name: 'number',
    schema: { anyOf: [{ type: 'number', ...limits(range) }, { type: 'string' }] },
    parse(raw) {
      const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
      return typeof value === 'number' && Number.isFinite(value) ? inRange(value, range) : failure('a number');
    },
  };
}

/** A TCP port; 0 lets the system choose. */
export function port(): ValueType<number> {
  return { ...integer({ min: 0, max: 65_535 }), name: 'port' };
}

/** A length of time as a number of `unit`s. `min` is -1 where -1 turns the limit off. */
export function duration(unit: DurationUnit, range: Range = { min: 0 }): ValueType<number> {
  return {
    name: 'duration',
    unit,
    schema: {
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[+-]?\\d+(\\.\\d+)?\\s*(d|h|m|s|ms)?$' }, placeholder],
    },
    parse(raw) {
      if (typeof raw !== 'string' && typeof raw !== 'number') return failure(durationText(unit));
      const value = parseDuration(String(raw), unit);
      return typeof value === 'number' ? inRange(value, range) : failure(value);
    },
  };
}

/** A whole number of `unit`s, such as bytes; only shown with the unit. */
export function amount(unit: string, range: Range = { min: 0 }): ValueType<number> {
  return { ...integer(range), unit };
}

/** A whole number of `unit`s, or the text `other`. */
export function amountOr<const Other extends string>(unit: string, other: Other): ValueType<number | Other> {
  return { ...integerOr(other), unit };
}

/** Texts: an array, or one text split at commas and trimmed. */
export function list(allowed?: readonly string[]): ValueType<readonly string[]> {
  return listSplitBy(/,/, allowed);
}

/** Host names: an array, or one text split at commas and vertical bars. */
export function hostList(): ValueType<readonly string[]> {
  return listSplitBy(/[,|]/);
}

/** Free properties below the key; read by `get` as an object of texts. */
export function bag(): ValueType<Bag> {
  return { name: 'properties', bag: true, schema: { type: 'object' }, parse: () => failure('a table of properties') };
}

/** Free properties whose values are never shown. */
export function secretBag(): ValueType<Bag> {
  return { ...bag(), secret: true };
}

const placeholder = { type: 'string', pattern: '\\$(ref|env|sys|secret)\\{' };

function listSplitBy(separator: RegExp, allowed?: readonly string[]): ValueType<readonly string[]> {
  return {
    name: 'list',
    ...(allowed && { allowed }),
    runtimePlaceholders: true,
    schema: { anyOf: [{ type: 'array', items: allowed ? { enum: allowed } : { type: 'string' } }, { type: 'string' }] },
    parse(raw) {
      const items = Array.isArray(raw) ? raw : String(raw).split(separator);
      if (items.some((item) => Array.isArray(item))) return failure('a list of texts');
      const texts = items.map((item) => String(item).trim()).filter((item) => item !== '');
      const strange = allowed && texts.find((item) => !allowed.includes(item));
      return strange === undefined ? success(texts) : failure(`a list of ${allowed?.join(', ')}`);
    },
  };
}

function parseText(raw: Raw): Parsed<string> {
  return Array.isArray(raw) ? failure('a text') : success(String(raw));
}

function inRange(value: number, range: Range): Parsed<number> {
  const { min, max } = range;
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return success(value);
  if (min !== undefined && max !== undefined) return failure(`a number from ${min} to ${max}`);
  return failure(min === undefined ? `at most ${max}` : `at least ${min}`);
}

function limits(range: Range): Record<string, number> {
  return {
    ...(range.min !== undefined && { minimum: range.min }),
    ...(range.max !== undefined && { maximum: range.max }),
  };
}

function durationText(unit: DurationUnit): string {
  return `a duration such as 90 or "5m" (${unit} when no unit is written)`;
}

function success<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

function failure(expected: string): { readonly ok: false; readonly expected: string } {
  return { ok: false, expected };
}

function withExpected<T>(parsed: Parsed<T>, expected: string): Parsed<T> {
  return parsed.ok ? parsed : failure(expected);
}
