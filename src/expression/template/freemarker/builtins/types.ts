import { itemsOf } from '../convert.ts';
import { Macro } from '../macro.ts';
import { Markup } from '../output-format.ts';
import { Callable, DateValue, isHash, isNumeric, TextMatch, TextMatches, type Value } from '../values.ts';
import { XmlNodes } from '../xml-nodes.ts';
import type { Builtin } from './builtin.ts';

/** Built-ins that ask for the type of a value. */
export const typeBuiltins: Readonly<Record<string, Builtin>> = {
  is_string: test((value) => typeof value === 'string' || value instanceof TextMatch || isTextNode(value)),
  is_number: test(isNumeric),
  is_boolean: test((value) => typeof value === 'boolean' || value instanceof TextMatches),
  is_date: test((value) => value instanceof DateValue),
  is_date_like: test((value) => value instanceof DateValue),
  is_date_only: test((value) => value instanceof DateValue && value.type === 'date'),
  is_time: test((value) => value instanceof DateValue && value.type === 'time'),
  is_datetime: test((value) => value instanceof DateValue && value.type === 'datetime'),
  is_unknown_date_like: test(() => false),
  is_sequence: test((value) => itemsOf(value) !== undefined),
  is_indexable: test((value) => itemsOf(value) !== undefined),
  is_enumerable: test((value) => itemsOf(value) !== undefined),
  is_collection: test((value) => value instanceof TextMatches),
  is_collection_ex: test(() => false),
  is_hash: test((value) => isHash(value) || value instanceof XmlNodes),
  is_hash_ex: test((value) => isHash(value)),
  is_macro: test((value) => value instanceof Macro),
  is_directive: test((value) => value instanceof Callable),
  is_method: test(() => false),
  is_transform: test(() => false),
  is_node: test((value) => value instanceof XmlNodes && value.isSingle),
  is_markup_output: test((value) => value instanceof Markup),
};

function test(holds: (value: Value) => boolean): Builtin {
  return { evaluate: holds };
}

function isTextNode(value: Value): boolean {
  return value instanceof XmlNodes && value.isSingle && value.node?.kind !== 'document';
}
