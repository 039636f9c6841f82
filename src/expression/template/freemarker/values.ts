import { Decimal } from 'decimal.js';
import { JsonNumber } from '#json';
import type { Markup } from './output-format.ts';
import type { Range } from './range.ts';
import type { XmlNodes } from './xml-nodes.ts';

/** A date with the parts of it that count. */
export class DateValue {
  readonly millis: number;
  readonly type: 'date' | 'time' | 'datetime';

  constructor(millis: number, type: DateValue['type']) {
    this.millis = millis;
    this.type = type;
  }
}

/** One match of `?matches`: its text, and the text of its groups, the whole match first. */
export class TextMatch {
  readonly groups: readonly string[];

  constructor(groups: readonly string[]) {
    this.groups = groups;
  }

  get text(): string {
    return this.groups[0] ?? '';
  }
}

/** The result of `?matches`: true when the whole text matches, and the list of the matches within. */
export class TextMatches {
  readonly whole: TextMatch | undefined;
  readonly items: readonly TextMatch[];

  constructor(whole: TextMatch | undefined, items: readonly TextMatch[]) {
    this.whole = whole;
    this.items = items;
  }
}

/** Something that `<@…>` or `name(…)` can call. */
export class Callable {
  readonly name: string;
  readonly isFunction: boolean;

  constructor(name: string, isFunction: boolean) {
    this.name = name;
    this.isFunction = isFunction;
  }
}

/** Members by name; plain maps are hashes, and so is what looks its members up when they are asked for. */
export interface Hash {
  get(name: string): Value;
  keys(): Iterable<string>;
}

/** Members that are looked up when they are asked for. */
export class LazyHash implements Hash {
  readonly get: (name: string) => Value;
  readonly keys: () => Iterable<string>;

  constructor(get: (name: string) => Value, keys: () => Iterable<string>) {
    this.get = get;
    this.keys = keys;
  }
}

/** What `x!` without a default yields: an empty text, sequence and hash at once. */
export const nothing: LazyHash = new LazyHash(
  () => undefined,
  () => [],
);

/** A number of the message as it was written, or the result of a calculation. */
export type Numeric = JsonNumber | Decimal;

/** Anything that an expression may yield; null and undefined are FreeMarker's missing values. */
export type Value =
  | undefined
  | null
  | string
  | boolean
  | Numeric
  | DateValue
  | readonly Value[]
  | Range
  | Hash
  | XmlNodes
  | Markup
  | TextMatch
  | TextMatches
  | Callable;

export function isMissing(value: Value): value is undefined | null {
  return value === undefined || value === null;
}

export function isNumeric(value: Value): value is Numeric {
  return value instanceof JsonNumber || value instanceof Decimal;
}

/** Maps of the message and of the template, and lazy ones; XML is asked separately. */
export function isHash(value: Value): value is Hash {
  return value instanceof Map || value instanceof LazyHash;
}

/** The number of members of a hash. */
export function hashSize(hash: Hash): number {
  let size = 0;
  for (const _ of hash.keys()) size++;
  return size;
}
