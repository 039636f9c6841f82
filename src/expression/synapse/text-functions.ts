import { Buffer } from 'node:buffer';
import { decodeText, encodeText } from '#core/java';
import { EvaluationError } from '../error.ts';
import { splitByPattern } from '../patterns.ts';
import { urlDecode, urlEncode } from '../url-encoding.ts';
import type { SynapseFunction } from './functions.ts';
import { integer } from './numbers.ts';
import { describe, expectInteger, expectString, type SynapseValue } from './values.ts';

function ofText(calculate: (text: string) => SynapseValue): SynapseFunction {
  return { arity: [1, 1], call: ([text = null]) => calculate(expectString(text)) };
}

function ofTexts(calculate: (text: string, second: string) => SynapseValue): SynapseFunction {
  return { arity: [2, 2], call: ([text = null, second = null]) => calculate(expectString(text), expectString(second)) };
}

function ofTextAndCharset(calculate: (text: string, charset: string) => string): SynapseFunction {
  const call = ([text = null, charset = 'UTF-8']: readonly SynapseValue[]): string =>
    calculate(expectString(text), expectString(charset));
  return { arity: [1, 2], call };
}

/** Functions on strings (runtime-core 8.6). */
export const textFunctions: readonly (readonly [string, SynapseFunction])[] = [
  ['length', { arity: [1, 1], call: ([value = null]) => integer(lengthOf(value)) }],
  ['toUpper', ofText((text) => text.toUpperCase())],
  ['toLower', ofText((text) => text.toLowerCase())],
  ['trim', ofText((text) => text.replace(/^[\0- ]+|[\0- ]+$/g, ''))],
  ['subString', { arity: [2, 3], call: subString }],
  ['startsWith', ofTexts((text, start) => text.startsWith(start))],
  ['endsWith', ofTexts((text, end) => text.endsWith(end))],
  ['contains', ofTexts((text, part) => text.includes(part))],
  ['replace', { arity: [3, 3], call: replace }],
  ['split', ofTexts((text, pattern) => splitByPattern(text, pattern))],
  ['indexOf', { arity: [2, 3], call: indexOf }],
  ['charAt', { arity: [2, 2], call: charAt }],
  ['base64encode', ofTextAndCharset((text, charset) => Buffer.from(encodeText(text, charset)).toString('base64'))],
  ['base64decode', ofText((text) => decodeText(Buffer.from(text, 'base64'), 'UTF-8'))],
  ['urlEncode', ofTextAndCharset(urlEncode)],
  ['urlDecode', ofTextAndCharset(urlDecode)],
];

function lengthOf(value: SynapseValue): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null && 'nodes' in value) return value.text.length;
  throw new EvaluationError(`expected a string or an array but found ${describe(value)}`);
}

function subString([value = null, start = null, end]: readonly SynapseValue[]): string {
  const text = expectString(value);
  const from = expectInteger(start);
  const to = end === undefined ? text.length : expectInteger(end);
  if (from < 0 || to > text.length || from > to) {
    throw new EvaluationError(`the range ${from} to ${to} lies outside of a string of ${text.length} characters`);
  }
  return text.slice(from, to);
}

function replace([value = null, old = null, fresh = null]: readonly SynapseValue[]): string {
  const replacement = expectString(fresh);
  return expectString(value).replaceAll(expectString(old), () => replacement);
}

function indexOf([value = null, part = null, start]: readonly SynapseValue[]): SynapseValue {
  const from = start === undefined ? 0 : expectInteger(start);
  return integer(expectString(value).indexOf(expectString(part), from));
}

function charAt([value = null, index = null]: readonly SynapseValue[]): string {
  const text = expectString(value);
  const at = expectInteger(index);
  if (at < 0 || at >= text.length) {
    throw new EvaluationError(`the index ${at} lies outside of a string of ${text.length} characters`);
  }
  return text.charAt(at);
}
