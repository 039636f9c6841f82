import { isNodeList, isNodeSet, toJson, type InlineTemplate, type XPathValue } from '#expression';
import { parseJson, type JsonValue } from '#json';
import type { Message } from '#message';
import { appendChild, cloneNode, detach, firstElement, type SourceNode, XmlElement, type XmlNode, XmlText } from '#xml';
import { libraryOf } from '../context.ts';
import {
  declareNamespaces,
  expressionSource,
  readValue,
  reporting,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { compileBraceText } from './brace-text.ts';
import { jsonPathSources, type JsonPathSource } from './json-path-source.ts';

const types = ['custom', 'envelope', 'body', 'property', 'inline'] as const;

export interface EnrichSource {
  readonly type: (typeof types)[number];
  /** False takes the source out of its place. */
  readonly clone: boolean;
  readonly xpath: string | undefined;
  /** Undefined for a list of JSONPaths, which can only be removed. */
  readonly expression: ExpressionSource | undefined;
  /** The JSONPaths of the expression, for taking away what they name. */
  readonly paths: readonly JsonPathSource[];
  readonly property: string | undefined;
  readonly key: ValueSource | undefined;
  readonly inlineElement: XmlElement | undefined;
  readonly inlineText: { readonly text: string; readonly template: InlineTemplate } | undefined;
}

/** What a source gave. */
export type Enrichment =
  | { readonly kind: 'none' }
  | { readonly kind: 'nodes'; readonly nodes: readonly XmlNode[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonValue };

export function readEnrichSource(node: SourceNode): EnrichSource {
  node.knowOnly(['type', 'clone', 'xpath', 'property', 'key']);
  const type = node.choice('type', types, 'custom');
  const text = node.attribute('xpath');
  if (type === 'custom') node.required('xpath');
  if (type === 'property') node.required('property');
  const paths = text === undefined ? [] : jsonPathSources(node, text);
  const inlineText = node.text();
  const inlineElement = firstElement(node.element);
  const template =
    type === 'inline' && !inlineElement && inlineText !== ''
      ? reporting(node, undefined, () => compileBraceText(inlineText, node.namespaces()))
      : undefined;
  return {
    type,
    clone: node.flag('clone', true),
    xpath: text,
    expression: text === undefined || paths.length > 1 ? undefined : expressionSource(node, text, 'xpath'),
    paths,
    property: node.attribute('property'),
    key: readValue(node, 'key'),
    inlineElement: type === 'inline' ? inlineElement : undefined,
    inlineText: template && { text: inlineText, template },
  };
}

export function serializeEnrichSource(source: EnrichSource): XmlElement {
  const { type, clone, xpath, expression, property, key, inlineElement, inlineText } = source;
  const element = synapseElement('source', {
    type: type === 'custom' ? undefined : type,
    clone: clone ? undefined : false,
    xpath,
    property,
    key: key?.text,
  });
  if (inlineElement) appendChild(element, cloneNode(inlineElement));
  if (inlineText) appendChild(element, new XmlText(inlineText.text, /[<&]/.test(inlineText.text)));
  return declareNamespaces(element, [expression, key]);
}

/** Compiles a source into a function that takes it from a message; nodes are copies or detached originals. */
export function compileEnrichSource(source: EnrichSource): (message: Message) => Enrichment {
  const { type, clone } = source;
  switch (type) {
    case 'envelope':
      return (message) => ({ kind: 'nodes', nodes: [cloneNode(message.envelope())] });
    case 'body':
      return (message) => fromBody(message);
    case 'property':
      return (message) => enrichmentOf(message.property('default', source.property ?? ''));
    case 'inline':
      return compileInline(source);
    case 'custom':
      return (message) => {
        if (source.expression?.expression.language === 'xpath') return fromXPath(message, source.expression, clone);
        const value = enrichmentOf(source.expression?.expression.evaluateValue(message));
        if (!clone) removePaths(message, source.paths);
        return value;
      };
  }
}

function fromBody(message: Message): Enrichment {
  if (message.hasJson()) {
    const value = message.json();
    return value === undefined ? { kind: 'none' } : { kind: 'json', value };
  }
  const content = message.payload.content();
  return content ? { kind: 'nodes', nodes: [cloneNode(content)] } : { kind: 'none' };
}

function fromXPath(message: Message, { expression }: ExpressionSource, clone: boolean): Enrichment {
  const value = expression.evaluateValue(message) as XPathValue;
  if (!isNodeSet(value)) return enrichmentOf(value);
  const nodes = value.filter((node) => node.kind === 'element' || node.kind === 'text');
  if (nodes.length === 0) {
    return value.length === 0 ? { kind: 'none' } : { kind: 'text', text: expression.evaluateString(message) ?? '' };
  }
  if (clone) return { kind: 'nodes', nodes: nodes.map((node) => cloneNode(node)) };
  message.payload.editEnvelope();
  for (const node of nodes) detach(node);
  return { kind: 'nodes', nodes };
}

function removePaths(message: Message, paths: readonly JsonPathSource[]): void {
  const root = message.json();
  if (root === undefined || paths.length === 0) return;
  for (const path of paths) path.remove(root);
  message.payload.setJsonValue(root);
}

function compileInline(source: EnrichSource): (message: Message) => Enrichment {
  const { key, inlineElement, inlineText } = source;
  if (inlineElement) return () => ({ kind: 'nodes', nodes: [cloneNode(inlineElement)] });
  if (!key) return (message) => textOrJson(inlineText?.template.evaluate(message) ?? '');
  return (message) => {
    const name = key.value.evaluate(message) ?? '';
    const library = libraryOf(message);
    const text = library.resource(name);
    if (text === undefined) return { kind: 'none' };
    if (!text.trimStart().startsWith('<')) return textOrJson(text.trim());
    const element = library.xmlResource(name);
    return element ? { kind: 'nodes', nodes: [cloneNode(element)] } : { kind: 'none' };
  };
}

/** Text that is a JSON object or array counts as JSON. */
function textOrJson(text: string): Enrichment {
  if (!/^\s*[{[]/.test(text)) return { kind: 'text', text };
  try {
    return { kind: 'json', value: parseJson(text) };
  } catch {
    return { kind: 'text', text };
  }
}

/** Any value that an expression or property holds. */
function enrichmentOf(value: unknown): Enrichment {
  if (value === undefined || value === null) return { kind: 'none' };
  if (typeof value === 'string') return textOrJson(value);
  if (value instanceof XmlElement) return { kind: 'nodes', nodes: [cloneNode(value)] };
  if (isNodeList(value)) return { kind: 'nodes', nodes: value.map((node) => cloneNode(node)) };
  return { kind: 'json', value: toJson(value) };
}
