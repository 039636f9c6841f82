import { JsonNumber } from '#json';
import { bodyOf, deepText, escapeText, firstElement, XmlElement, type XmlNode } from '#xml';
import { textOf } from '../../text.ts';
import { Exact } from './numbers.ts';
import { LazyHash, type Hash, type Value } from './values.ts';
import { XmlNodes } from './xml-nodes.ts';
import type { Scope } from '../../scope.ts';

/** The names that there are in a place of the message, for templates that list them. */
export interface ScopeNames {
  readonly ctx: () => Iterable<string>;
  readonly axis2: () => Iterable<string>;
  readonly trp: () => Iterable<string>;
  readonly vars: () => Iterable<string>;
}

export interface DataModelOptions {
  /** The prepared arguments, first one first. */
  readonly args: readonly (() => string)[];
  /** True when a text payload goes into XML, where it is escaped. */
  readonly escapesText: boolean;
  readonly names?: ScopeNames;
}

const payloadNamespace = 'http://ws.apache.org/commons/ns/payload';

/**
 * What a template of a message sees (mediators 4.1): `payload`, `args`, `ctx`, `axis2`, `trp` and `vars`. Each part is
 * looked up when it is asked for; properties and headers are texts, variables keep their type.
 */
export function createDataModel(scope: Scope, { args, escapesText, names }: DataModelOptions): Hash {
  const none = (): Iterable<string> => [];
  const textHash = (get: (name: string) => unknown, keys = none): Hash => {
    const text = (value: unknown): Value => (value === undefined || value === null ? undefined : textOf(value));
    return new LazyHash((name) => text(get(name)), keys);
  };
  const argumentNames = args.map((_, index) => `arg${index + 1}`);
  const roots: ReadonlyMap<string, () => Value> = new Map<string, () => Value>([
    ['payload', () => payloadOf(scope, escapesText)],
    [
      'args',
      () =>
        new LazyHash(
          (name) => args[argumentNames.indexOf(name)]?.(),
          () => argumentNames,
        ),
    ],
    ['ctx', () => textHash((name) => scope.property('default', name), names?.ctx)],
    ['axis2', () => textHash((name) => scope.property('axis2', name), names?.axis2)],
    ['trp', () => textHash((name) => scope.header(name), names?.trp)],
    ['vars', () => new LazyHash((name) => toValue(scope.variable(name)), names?.vars ?? none)],
  ]);
  const known = new Map<string, Value>();
  const get = (name: string): Value => {
    if (!known.has(name)) known.set(name, roots.get(name)?.());
    return known.get(name);
  };
  return new LazyHash(get, () => roots.keys());
}

/** JSON as it is, XML as nodes below a document, text as text; nothing for an empty body. */
function payloadOf(scope: Scope, escapesText: boolean): Value {
  if (scope.hasJson()) return scope.json();
  const content = firstElement(bodyOf(scope.envelope()));
  if (!content) return undefined;
  if (content.local !== 'text' || content.uri !== payloadNamespace) return XmlNodes.ofDocument(content);
  return escapesText ? escapeText(deepText(content)) : deepText(content);
}

/** What a variable holds, as a value of the template. */
function toValue(value: unknown): Value {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'boolean' || value instanceof JsonNumber) return value;
  if (typeof value === 'number') return new Exact(value);
  if (typeof value === 'bigint') return new Exact(String(value));
  if (value instanceof XmlElement) return XmlNodes.ofDocument(value);
  if (Array.isArray(value)) {
    const [only] = value.length === 1 ? (value as readonly XmlNode[]) : [];
    return only instanceof XmlElement ? XmlNodes.ofDocument(only) : value.map((item) => toValue(item));
  }
  if (value instanceof Map) return new Map([...value].map(([name, member]) => [String(name), toValue(member)]));
  return textOf(value);
}
