import { lookupNamespace } from '#xml';
import { booleanOf, firstNode, numberOf, textOfCode, type Code, type Frame, type StaticType } from './code.ts';
import { nameOf, stringValue, type XPathNode } from './nodes.ts';
import { toNumber, type XPathValue } from './values.ts';

/** A function: how many arguments it takes, what it yields, and how calls of it are compiled. */
export interface XPathFunction {
  readonly arity: readonly [least: number, most: number];
  readonly type: StaticType;
  /** True when its arguments must be node sets. */
  readonly nodes?: boolean;
  readonly make: (args: readonly Code[]) => (frame: Frame) => XPathValue;
}

type Text = (frame: Frame) => string;
const contextText: Text = (frame) => stringValue(frame.node);

/** The text of an argument; of the context node when it is left out. */
function text(args: readonly Code[], index = 0): Text {
  const code = args[index];
  return code ? textOfCode(code) : contextText;
}

function number(args: readonly Code[], index = 0): (frame: Frame) => number {
  const code = args[index];
  return code ? numberOf(code) : (frame) => toNumber(contextText(frame));
}

function node(args: readonly Code[]): (frame: Frame) => XPathNode | undefined {
  const each = args[0]?.each;
  return each ? (frame) => firstNode(each, frame) : (frame) => frame.node;
}

function ofTexts(calculate: (first: string, second: string) => XPathValue, type: StaticType): XPathFunction {
  const make = (args: readonly Code[]): ((frame: Frame) => XPathValue) => {
    const first = text(args);
    const second = text(args, 1);
    return (frame) => calculate(first(frame), second(frame));
  };
  return { arity: [2, 2], type, make };
}

function ofText(calculate: (text: string) => XPathValue, type: StaticType, least = 0): XPathFunction {
  const make = (args: readonly Code[]): ((frame: Frame) => XPathValue) => {
    const argument = text(args);
    return (frame) => calculate(argument(frame));
  };
  return { arity: [least, 1], type, make };
}

function ofNumber(calculate: (value: number) => number): XPathFunction {
  const make = (args: readonly Code[]): ((frame: Frame) => number) => {
    const argument = number(args);
    return (frame) => calculate(argument(frame));
  };
  return { arity: [1, 1], type: 'number', make };
}

function ofName(pick: (node: XPathNode) => string): XPathFunction {
  const make = (args: readonly Code[]): Text => {
    const argument = node(args);
    return (frame) => {
      const found = argument(frame);
      return found ? pick(found) : '';
    };
  };
  return { arity: [0, 1], type: 'string', nodes: true, make };
}

function fold(start: number, add: (sum: number, node: XPathNode) => number): XPathFunction {
  const make = (args: readonly Code[]): ((frame: Frame) => number) => {
    const each = args[0]?.each;
    return (frame) => {
      let sum = start;
      each?.(frame, (node) => {
        sum = add(sum, node);
        return false;
      });
      return sum;
    };
  };
  return { arity: [1, 1], type: 'number', nodes: true, make };
}

const normalizeSpace = (value: string): string => value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');

/** The function library of XPath 1.0 (section 4), and the three string functions that Jaxen adds to it. */
export const coreFunctions: ReadonlyMap<string, XPathFunction> = new Map<string, XPathFunction>([
  ['last', { arity: [0, 0], type: 'number', make: () => (frame) => frame.size }],
  ['position', { arity: [0, 0], type: 'number', make: () => (frame) => frame.position }],
  ['count', fold(0, (sum) => sum + 1)],
  ['sum', fold(0, (sum, each) => sum + toNumber(stringValue(each)))],
  // Without a DTD no attribute is an identifier.
  ['id', { arity: [1, 1], type: 'nodes', make: () => () => [] }],
  ['local-name', ofName((found) => nameOf(found).local)],
  ['namespace-uri', ofName((found) => nameOf(found).uri)],
  ['name', ofName(qualifiedName)],
  ['string', ofText((value) => value, 'string')],
  ['concat', { arity: [2, Infinity], type: 'string', make: concat }],
  ['starts-with', ofTexts((value, start) => value.startsWith(start), 'boolean')],
  ['ends-with', ofTexts((value, end) => value.endsWith(end), 'boolean')],
  ['contains', ofTexts((value, part) => value.includes(part), 'boolean')],
  ['substring-before', ofTexts((value, part) => value.slice(0, Math.max(0, value.indexOf(part))), 'string')],
  ['substring-after', ofTexts(substringAfter, 'string')],
  ['substring', { arity: [2, 3], type: 'string', make: substring }],
  ['string-length', ofText((value) => Array.from(value).length, 'number')],
  ['normalize-space', ofText(normalizeSpace, 'string')],
  ['upper-case', ofText((value) => value.toUpperCase(), 'string', 1)],
  ['lower-case', ofText((value) => value.toLowerCase(), 'string', 1)],
  ['translate', { arity: [3, 3], type: 'string', make: translate }],
  ['boolean', { arity: [1, 1], type: 'boolean', make: ([code]) => (code ? booleanOf(code) : () => false) }],
  ['not', { arity: [1, 1], type: 'boolean', make: not }],
  ['true', { arity: [0, 0], type: 'boolean', make: () => () => true }],
  ['false', { arity: [0, 0], type: 'boolean', make: () => () => false }],
  ['lang', { arity: [1, 1], type: 'boolean', make: lang }],
  ['number', { arity: [0, 1], type: 'number', make: (args) => number(args) }],
  ['floor', ofNumber(Math.floor)],
  ['ceiling', ofNumber(Math.ceil)],
  ['round', ofNumber(Math.round)],
]);

function qualifiedName(found: XPathNode): string {
  const { prefix, local } = nameOf(found);
  return prefix === '' ? local : `${prefix}:${local}`;
}

function concat(args: readonly Code[]): Text {
  const texts = args.map((_, index) => text(args, index));
  return (frame) => {
    let result = '';
    for (const part of texts) result += part(frame);
    return result;
  };
}

function substringAfter(value: string, part: string): string {
  const at = value.indexOf(part);
  return at < 0 ? '' : value.slice(at + part.length);
}

function substring(args: readonly Code[]): Text {
  const value = text(args);
  const start = number(args, 1);
  const length = args[2] ? numberOf(args[2]) : () => Infinity;
  return (frame) => {
    const from = Math.round(start(frame));
    const to = from + Math.round(length(frame));
    return Array.from(value(frame))
      .filter((_, index) => index + 1 >= from && index + 1 < to)
      .join('');
  };
}

function translate(args: readonly Code[]): Text {
  const value = text(args);
  const from = text(args, 1);
  const to = text(args, 2);
  return (frame) => {
    const targets = Array.from(to(frame));
    const map = new Map<string, string>();
    for (const [index, character] of Array.from(from(frame)).entries()) {
      if (!map.has(character)) map.set(character, targets[index] ?? '');
    }
    return Array.from(value(frame), (character) => map.get(character) ?? character).join('');
  };
}

function not([code]: readonly Code[]): (frame: Frame) => boolean {
  const argument = code ? booleanOf(code) : () => false;
  return (frame) => !argument(frame);
}

function lang(args: readonly Code[]): (frame: Frame) => boolean {
  const wanted = text(args);
  return (frame) => {
    const language = wanted(frame).toLowerCase();
    const { node: start } = frame;
    let element = start.kind === 'attribute' || start.kind === 'namespace' ? start.owner : null;
    if (start.kind === 'element') element = start;
    else if (element === null && start.kind !== 'document' && 'parent' in start) element = start.parent;
    for (; element; element = element.parent) {
      const xml = lookupNamespace(element, 'xml');
      const found = element.attributes.find(({ local, uri }) => local === 'lang' && uri === xml)?.value.toLowerCase();
      if (found !== undefined) return found === language || found.startsWith(`${language}-`);
    }
    return false;
  };
}
