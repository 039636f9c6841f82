import { compare } from '../operators.ts';
import { describe, isArray, itemsOf, numberOf, plainText, sequenceOf, wrongType } from '../convert.ts';
import { localeTag } from '../number-formats.ts';
import { decimalOf, numeric } from '../numbers.ts';
import { TemplateFailure } from '../errors.ts';
import { member } from '../access.ts';
import { DateValue, hashSize, isHash, isMissing, isNumeric, nothing, type Value } from '../values.ts';
import { XmlNodes } from '../xml-nodes.ts';
import {
  functionArgument,
  ofItems,
  predicateArgument,
  textArgument,
  valueArgument,
  wholeArgument,
  type Builtin,
  type BuiltinCall,
} from './builtin.ts';

/** Built-ins of sequences, and `?size`, `?keys`, `?values` of hashes. */
export const sequenceBuiltins: Readonly<Record<string, Builtin>> = {
  size: {
    evaluate(value, { operand }) {
      if (value === nothing) return numeric(0);
      if (isHash(value)) return numeric(hashSize(value));
      const items = itemsOf(value);
      if (!items) throw wrongType('a sequence or a hash', value, operand);
      if (Number.isFinite(items.size)) return numeric(items.size);
      // A range without an end has the largest size of Java.
      return numeric(2 ** 31 - 1);
    },
  },
  first: { evaluate: (value, { operand }) => sequenceOf(value, operand).at(0) },
  last: {
    evaluate(value, { operand }) {
      const items = sequenceOf(value, operand);
      return items.at(items.size - 1);
    },
  },
  reverse: ofItems((items) => items.toReversed()),
  sequence: ofItems((items) => items),
  join: ofItems(join, [1, 3]),
  seq_contains: ofItems((items, call) => indexOf(items, call, { from: 0, step: 1 }) >= 0, [1, 1]),
  seq_index_of: ofItems(
    (items, call) => {
      return numeric(indexOf(items, call, { from: Math.max(0, wholeArgument(call, 1)), step: 1 }));
    },
    [1, 2],
  ),
  seq_last_index_of: ofItems(
    (items, call) => {
      const from = Math.min(items.length - 1, wholeArgument(call, 1, items.length - 1));
      return numeric(indexOf(items, call, { from, step: -1 }));
    },
    [1, 2],
  ),
  sort: ofItems((items, call) => sorted(items, call, (item) => item)),
  sort_by: ofItems(sortBy, [1, 1]),
  chunk: ofItems(chunk, [1, 2]),
  min: ofItems((items, call) => extreme(items, call, '<')),
  max: ofItems((items, call) => extreme(items, call, '>')),
  map: ofItems(
    (items, call) => {
      const apply = functionArgument(call, 0);
      return items.map((item) => checked(apply(item), call));
    },
    [1, 1],
  ),
  filter: ofItems((items, call) => items.filter(predicateArgument(call, 0)), [1, 1]),
  take_while: ofItems((items, call) => items.slice(0, firstNot(items, call)), [1, 1]),
  drop_while: ofItems((items, call) => items.slice(firstNot(items, call)), [1, 1]),
  keys: {
    evaluate(value, { operand }) {
      if (isHash(value)) return [...value.keys()];
      throw wrongType('a hash whose members can be listed', value, operand);
    },
  },
  values: {
    evaluate(value, { operand }) {
      if (isHash(value)) return [...value.keys()].map((key) => value.get(key));
      throw wrongType('a hash whose members can be listed', value, operand);
    },
  },
};

function checked(value: Value, call: BuiltinCall): Value {
  if (!isMissing(value)) return value;
  throw new TemplateFailure('other', 'The function gives nothing for an item', call.args[0] ?? call.blamed);
}

function firstNot(items: readonly Value[], call: BuiltinCall): number {
  const holds = predicateArgument(call, 0);
  const index = items.findIndex((item) => !holds(item));
  return index < 0 ? items.length : index;
}

/** Items that are missing leave nothing, not even a separator. */
function join(items: readonly Value[], call: BuiltinCall): string {
  const separator = textArgument(call, 0);
  const present = items.filter((item) => !isMissing(item));
  if (present.length === 0) return textArgument(call, 1);
  const texts = present.map((item) => plainText(call.environment, item, call.operand));
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  call.environment.checkLength(length, call.blamed);
  return texts.join(separator) + textArgument(call, 2);
}

function indexOf(items: readonly Value[], call: BuiltinCall, { from, step }: { from: number; step: 1 | -1 }): number {
  const wanted = valueArgument(call, 0);
  for (let index = from; index >= 0 && index < items.length; index += step) {
    if (equals(items[index], wanted, call)) return index;
  }
  return -1;
}

/** Values of different types are different here, other than with `==`. */
function equals(first: Value, second: Value, { operand, blamed }: BuiltinCall): boolean {
  if (isMissing(first) || isMissing(second)) return false;
  const operands = { first, second, left: operand, right: operand };
  return kindOf(first) === kindOf(second) && kindOf(first) !== 'other' && compare('==', operands, blamed);
}

function kindOf(value: Value): string {
  if (isNumeric(value)) return 'number';
  if (value instanceof DateValue) return value.type;
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string' || (value instanceof XmlNodes && value.text() !== undefined)) return 'string';
  return 'other';
}

/** Sorts by a key, which must be of one type for all items; equal ones keep their order. */
function sorted(items: readonly Value[], call: BuiltinCall, keyOf: (item: Value) => Value): readonly Value[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  const [first] = keyed;
  if (!first) return items;
  const kind = kindOf(first.key);
  if (isMissing(first.key)) throw new TemplateFailure('other', 'The first item has nothing to sort by', call.operand);
  if (kind === 'other')
    throw wrongType('items that can be sorted (strings, numbers, dates or booleans)', first.key, call.operand);
  for (const { key } of keyed) {
    if (kindOf(key) === kind) continue;
    const found = isMissing(key) ? 'a missing value' : describe(key);
    throw new TemplateFailure(
      'type',
      `The items to sort are not all of one type: there is ${found} among them`,
      call.operand,
    );
  }
  const collator = new Intl.Collator(localeTag(call.environment.settings.locale));
  return keyed.sort((a, b) => order(a.key, b.key, { call, collator })).map(({ item }) => item);
}

function order(
  first: Value,
  second: Value,
  { call, collator }: { call: BuiltinCall; collator: Intl.Collator },
): number {
  if (isNumeric(first) && isNumeric(second)) return decimalOf(first).comparedTo(decimalOf(second));
  if (first instanceof DateValue && second instanceof DateValue) return first.millis - second.millis;
  if (typeof first === 'boolean') return Number(first) - Number(second);
  const { environment, operand } = call;
  return collator.compare(plainText(environment, first, operand), plainText(environment, second, operand));
}

function sortBy(items: readonly Value[], call: BuiltinCall): readonly Value[] {
  const argument = valueArgument(call, 0);
  const { environment, operand } = call;
  const names = isArray(argument)
    ? argument.map((name) => plainText(environment, name, operand))
    : [plainText(environment, argument, operand)];
  return sorted(items, call, (item) => {
    let value: Value = item;
    for (const name of names) value = member(environment, { value, operand }, name);
    return value;
  });
}

function chunk(items: readonly Value[], call: BuiltinCall): readonly Value[] {
  const size = wholeArgument(call, 0);
  if (size < 1)
    throw new TemplateFailure('other', 'The size of the parts must be at least 1', call.args[0] ?? call.blamed);
  const filling = call.args.length > 1 ? valueArgument(call, 1) : undefined;
  const parts: Value[] = [];
  for (let start = 0; start < items.length; start += size) {
    const part = items.slice(start, start + size);
    call.environment.step(call.blamed, filling === undefined ? 1 : size);
    while (filling !== undefined && part.length < size) part.push(filling);
    parts.push(part);
  }
  return parts;
}

/** The least or greatest of numbers or dates; nothing for an empty sequence. */
function extreme(items: readonly Value[], call: BuiltinCall, operator: '<' | '>'): Value {
  let found: Value = undefined;
  for (const item of items) {
    if (isMissing(item)) continue;
    if (!(item instanceof DateValue)) numberOf(item, call.operand);
    const isFirst = isMissing(found);
    if (
      isFirst ||
      compare(operator, { first: item, second: found, left: call.operand, right: call.operand }, call.blamed)
    ) {
      found = item;
    }
  }
  return found;
}
