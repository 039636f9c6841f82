import { TemplateFailure, type Blamed } from './errors.ts';
import { itemsOf, plainText, wholeOf, wrongType } from './convert.ts';
import { Range } from './range.ts';
import { isHash, isNumeric, nothing, TextMatch, type Value } from './values.ts';
import { XmlNodes } from './xml-nodes.ts';
import type { Environment } from './environment.ts';

interface Container {
  readonly value: Value;
  readonly operand: Blamed;
}

/** `value.name`; nothing when there is no such member. @throws TemplateFailure when the value has no members */
export function member(environment: Environment, { value, operand }: Container, name: string): Value {
  if (isHash(value)) return value.get(name);
  if (value instanceof XmlNodes) {
    const found = value.get(name, environment.namespaces);
    if (found !== undefined || !name.startsWith('@@')) return found;
    throw new TemplateFailure('other', `XML has nothing called "${name}" here`, operand);
  }
  throw wrongType('a hash', value, operand);
}

/** `value[key]`: by index, range or name. */
export function itemOrMember(
  environment: Environment,
  container: Container,
  { value: key, key: blamedKey }: { value: Value; key: Blamed },
): Value {
  if (isNumeric(key)) return item(environment, container, wholeOf(key, blamedKey));
  if (key instanceof Range) return slice(environment, container, { range: key, blamed: blamedKey });
  if (typeof key === 'string' || key instanceof XmlNodes || key instanceof TextMatch || key === nothing) {
    return member(environment, container, plainText(environment, key, blamedKey));
  }
  throw wrongType('a number, a string or a range', key, blamedKey);
}

function item(environment: Environment, { value, operand }: Container, index: number): Value {
  const items = itemsOf(value);
  if (items) return items.at(index);
  const text = stringOf(environment, value, operand);
  if (index >= 0 && index < text.length) return text.charAt(index);
  throw new TemplateFailure('other', `The string has ${text.length} characters, so there is none at ${index}`, operand);
}

/** What is no sequence is cut as text. */
function stringOf(environment: Environment, value: Value, operand: Blamed): string {
  if (typeof value === 'string' || isNumeric(value) || value instanceof TextMatch) {
    return plainText(environment, value, operand);
  }
  throw wrongType('a sequence or a string', value, operand);
}

function slice(environment: Environment, { value, operand }: Container, key: { range: Range; blamed: Blamed }): Value {
  const items = itemsOf(value);
  const text = items ? undefined : stringOf(environment, value, operand);
  const indexes = indexesOf(key.range, items?.size ?? text?.length ?? 0, key.blamed);
  environment.step(key.blamed, indexes.length);
  if (items) return indexes.map((index) => items.at(index));
  if (key.range.step < 0 && indexes.length > 1) {
    throw new TemplateFailure('other', 'A string cannot be cut with a range that goes down', key.blamed);
  }
  return indexes.length === 0 ? '' : (text ?? '').slice(indexes[0], (indexes.at(-1) ?? 0) + 1);
}

/** The indexes of a range in something of this size; a range without an end, or `a..*n`, stops where it ends. */
function indexesOf(range: Range, size: number, blamed: Blamed): number[] {
  const isLenient = range.isLengthLimited || !Number.isFinite(range.size);
  const fail = (index: number): never => {
    throw new TemplateFailure('other', `The range reaches ${index}, but there are only ${size} items`, blamed);
  };
  if (range.size === 0) return [];
  if (range.start < 0 || range.start > size || (range.start === size && !isLenient)) fail(range.start);
  const most = range.step > 0 ? size - range.start : range.start + 1;
  const count = Math.min(range.size, most);
  if (count < range.size && !isLenient) fail(range.start + range.step * (range.size - 1));
  return Array.from({ length: Math.max(0, count) }, (_, index) => range.start + range.step * index);
}
