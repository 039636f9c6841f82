import { parseJavaDouble } from '#core/java';
import { JsonNumber } from '#json';
import { isNodeList, isXmlNode, textOf } from '../text.ts';
import type { CompareOperator } from './ast.ts';
import { stringValue, type XPathNode } from './nodes.ts';

/** What an XPath expression yields; null is a variable without a value, `JsonNumber` a number that keeps its text. */
export type XPathValue = readonly XPathNode[] | string | number | boolean | null | JsonNumber;

export function isNodeSet(value: XPathValue): value is readonly XPathNode[] {
  return Array.isArray(value);
}

/** Turns what a property or variable holds into an XPath value. */
export function fromProperty(value: unknown): XPathValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value instanceof JsonNumber) return value;
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'bigint') return new JsonNumber(String(value));
  if (isXmlNode(value)) return [value];
  return isNodeList(value) ? value : textOf(value);
}

/** The function `string` (XPath 1.0, section 4.2). */
export function toText(value: XPathValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null) return '';
  if (value instanceof JsonNumber) return value.text;
  const [first] = value;
  return first ? stringValue(first) : '';
}

/** A number as XPath writes it: no exponent, no fraction for integers. */
export function numberText(value: number): string {
  if (value === 0) return '0';
  const text = String(value);
  if (!text.includes('e')) return text;
  const [digits = '', exponent = '0'] = text.replace(/^-/, '').split('e');
  const shift = Number(exponent);
  const [whole = '', fraction = ''] = digits.split('.');
  const sign = value < 0 ? '-' : '';
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction.padEnd(shift, '0')}`;
}

/**
 * The function `number` (section 4.4). Beyond the recommendation text may spell a number as Java does, with a plus sign
 * or an exponent, since payloads of JSON bring such numbers.
 */
export function toNumber(value: XPathValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const text = typeof value === 'string' ? value : toText(value);
  if (/^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text)) return Number(text);
  return parseJavaDouble(text) ?? Number.NaN;
}

/** The function `boolean` (section 4.3). */
export function toBoolean(value: XPathValue): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value !== '';
  if (value === null) return false;
  if (isNodeSet(value)) return value.length > 0;
  const number = toNumber(value);
  return number !== 0 && !Number.isNaN(number);
}

/** Comparison of two values (section 3.4). As in Jaxen nothing compares with a variable that has no value. */
export function compare(operator: CompareOperator, left: XPathValue, right: XPathValue): boolean {
  if (left === null || right === null) return false;
  if (isNodeSet(left)) {
    if (isNodeSet(right)) return compareNodeSets(operator, left, right);
    if (typeof right === 'boolean') return compareAtoms(operator, toBoolean(left), right);
    return left.some((node) => compareAtoms(operator, stringValue(node), right));
  }
  if (isNodeSet(right)) {
    if (typeof left === 'boolean') return compareAtoms(operator, left, toBoolean(right));
    return right.some((node) => compareAtoms(operator, left, stringValue(node)));
  }
  return compareAtoms(operator, left, right);
}

function compareNodeSets(operator: CompareOperator, left: readonly XPathNode[], right: readonly XPathNode[]): boolean {
  const texts = right.map((node) => stringValue(node));
  if (operator === '=') {
    const known = new Set(texts);
    return left.some((node) => known.has(stringValue(node)));
  }
  return left.some((node) => {
    const text = stringValue(node);
    return texts.some((other) => compareAtoms(operator, text, other));
  });
}

type Atom = Exclude<XPathValue, readonly XPathNode[]>;

/** Compares two values of which none is a node set. */
export function compareAtoms(operator: CompareOperator, left: Atom, right: Atom): boolean {
  switch (operator) {
    case '=':
      return equalAtoms(left, right);
    case '!=':
      return !equalAtoms(left, right);
    case '<':
      return toNumber(left) < toNumber(right);
    case '<=':
      return toNumber(left) <= toNumber(right);
    case '>':
      return toNumber(left) > toNumber(right);
    case '>=':
      return toNumber(left) >= toNumber(right);
  }
}

function equalAtoms(left: Atom, right: Atom): boolean {
  if (typeof left === 'boolean' || typeof right === 'boolean') return toBoolean(left) === toBoolean(right);
  if (isNumeric(left) || isNumeric(right)) return toNumber(left) === toNumber(right);
  return toText(left) === toText(right);
}

function isNumeric(value: Atom): boolean {
  return typeof value === 'number' || value instanceof JsonNumber;
}
