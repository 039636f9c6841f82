import { MillraceError, synapseCodes } from '#errors';
import { isNodeSet, type Expression, type XPathNode, type XPathValue } from '#expression';
import { parseJson, stringifyJson, type JsonValue } from '#json';
import { setProperty, type Message } from '#message';
import {
  appendChild,
  bodyOf,
  childElements,
  cloneNode,
  detach,
  insertBeside,
  serializeAll,
  XmlElement,
  XmlText,
  type SourceNode,
  type XmlNode,
} from '#xml';
import type { CompileContext } from '../context.ts';
import { declareNamespaces, expressionSource, synapseElement, type ExpressionSource } from '../reading.ts';
import type { Enrichment } from './enrich-source.ts';
import { jsonPathSource, type JsonPathSource } from './json-path-source.ts';
import { textOfValue } from './typed-value.ts';

const types = ['custom', 'envelope', 'body', 'property', 'inline', 'key'] as const;
const actions = ['replace', 'child', 'sibling', 'remove'] as const;

export interface EnrichTarget {
  readonly type: (typeof types)[number];
  readonly action: (typeof actions)[number];
  readonly expression: ExpressionSource | undefined;
  readonly path: JsonPathSource | undefined;
  readonly property: string | undefined;
}

type Write = (message: Message, value: Enrichment) => void;

export function readEnrichTarget(node: SourceNode): EnrichTarget {
  node.knowOnly(['type', 'action', 'xpath', 'property']);
  const type = node.choice('type', types, 'custom');
  if (type === 'inline') node.error('a target cannot be inline', { attribute: 'type' });
  if (type === 'property') node.required('property');
  if (type === 'custom' || type === 'key') node.required('xpath');
  const text = node.attribute('xpath');
  const action = node.choice('action', actions, 'replace');
  const path = text === undefined ? undefined : jsonPathSource(node, text);
  if (type === 'custom' && action === 'replace' && path?.isRoot) {
    node.error('the JSON root cannot be a custom target; use the type body', { attribute: 'xpath' });
  }
  return {
    type,
    action,
    expression: text === undefined ? undefined : expressionSource(node, text, 'xpath'),
    path,
    property: node.attribute('property'),
  };
}

export function serializeEnrichTarget({ type, action, expression, property }: EnrichTarget): XmlElement {
  const element = synapseElement('target', {
    type: type === 'custom' ? undefined : type,
    action: action === 'replace' ? undefined : action,
    xpath: expression?.text,
    property,
  });
  return declareNamespaces(element, [expression]);
}

/** Compiles a target into a function that puts an enrichment into a message; `language` is that of its source. */
export function compileEnrichTarget(
  target: EnrichTarget,
  context: CompileContext,
  language: Expression['language'] | undefined,
): Write {
  const { action } = target;
  switch (target.type) {
    case 'envelope':
      return writeEnvelope;
    case 'body':
      if (action === 'replace' && language !== 'xpath') return (message, value) => replaceJson(message, value, context);
      return (message, value) => writeBody(message, value, action);
    case 'property':
      return (message, value) => writeProperty(message, value, { name: target.property ?? '', action });
    case 'key':
      return (message, value) => renameKey(message, value, target.path);
    case 'inline':
      return () => undefined;
    case 'custom':
      return compileCustom(target, context);
  }
}

function writeEnvelope(message: Message, value: Enrichment): void {
  const [first] = value.kind === 'nodes' ? value.nodes : [];
  if (first instanceof XmlElement) message.payload.setEnvelope(first);
  message.axis2.delete('NO_ENTITY_BODY');
}

function writeBody(message: Message, value: Enrichment, action: EnrichTarget['action']): void {
  message.axis2.delete('NO_ENTITY_BODY');
  if (action === 'replace') {
    replaceBody(message, value);
    return;
  }
  if (message.hasJson() && value.kind !== 'nodes') {
    addToJson(message, jsonOf(value), (root, addition) => addTo(root, addition));
    return;
  }
  const content = childElements(bodyOf(message.payload.editEnvelope()))[0];
  const nodes = nodesOf(value);
  if (!content) message.payload.setContent(nodes.filter((node) => node instanceof XmlElement));
  else if (action === 'child') for (const node of nodes) appendChild(content, node);
  else insertBeside(content, nodes, 'after');
}

/** A JSON body is replaced by an object or an array only, unless an XPath says by what (mediators 4.2). */
function replaceJson(message: Message, value: Enrichment, context: CompileContext): void {
  const isScalar = value.kind === 'text' || (value.kind === 'json' && !isContainer(value.value));
  if (!isScalar || !message.hasJson()) return writeBody(message, value, 'replace');
  context.services.log.error(
    { at: context.id },
    'only an object or an array can be a JSON body; the message is unchanged',
  );
}

function isContainer(value: JsonValue): boolean {
  return Array.isArray(value) || value instanceof Map;
}

function replaceBody(message: Message, value: Enrichment): void {
  if (value.kind === 'nodes') {
    message.payload.setContent(value.nodes.filter((node) => node instanceof XmlElement));
    if (message.axis2.get('messageType') === 'application/json') return;
  } else if (value.kind === 'json') message.payload.setJson(stringifyJson(value.value));
  else if (value.kind === 'text') message.payload.setText(value.text);
}

function writeProperty(
  message: Message,
  value: Enrichment,
  { name, action }: { name: string; action: EnrichTarget['action'] },
): void {
  const present = message.property('default', name);
  if (action === 'replace') {
    setProperty(message, { scope: 'default', name }, storedForm(value));
    return;
  }
  if (present instanceof XmlElement) {
    for (const node of nodesOf(value)) appendChild(present, node);
    return;
  }
  const json = tryParse(textOfValue(present));
  if (json === undefined) return;
  addTo(json, jsonOf(value));
  setProperty(message, { scope: 'default', name }, stringifyJson(json));
}

/** What a property keeps: an element, JSON text, or text. */
function storedForm(value: Enrichment): unknown {
  if (value.kind === 'nodes') {
    const [first] = value.nodes;
    return value.nodes.length === 1 && first instanceof XmlElement ? first : value.nodes.slice();
  }
  if (value.kind === 'json') return typeof value.value === 'string' ? value.value : stringifyJson(value.value);
  return value.kind === 'text' ? value.text : null;
}

function compileCustom({ expression, path, action }: EnrichTarget, context: CompileContext): Write {
  const property = propertyTarget(expression?.text ?? '');
  if (property) return (message, value) => setProperty(message, property, storedForm(value));
  if (path) return (message, value) => writeJson(message, value, { path, action, context });
  return (message, value) => writeXPath(message, value, { expression, action, context });
}

/** A target of the form `get-property('scope', 'name')` sets the property (mediators 4.2). */
function propertyTarget(
  text: string,
): { scope: 'default' | 'axis2' | 'transport' | 'operation'; name: string } | undefined {
  const match = /^get-property\(\s*(?:'(\w+)'\s*,\s*)?'([^']+)'\s*\)$/.exec(text.trim());
  const scope = match?.[1] ?? 'default';
  if (!match?.[2] || !['default', 'axis2', 'transport', 'operation'].includes(scope)) return undefined;
  return { scope: scope as 'default', name: match[2] };
}

interface Place {
  readonly action: EnrichTarget['action'];
  readonly context: CompileContext;
}

function writeJson(message: Message, value: Enrichment, place: Place & { path: JsonPathSource }): void {
  const { path, action, context } = place;
  if (action === 'sibling') {
    context.services.log.error({ at: context.id }, 'a JSON target cannot take a sibling; the message is unchanged');
    return;
  }
  addToJson(message, jsonOf(value), (root, addition) => {
    const touched = action === 'child' ? path.add(root, addition) : path.set(root, addition);
    if (touched === 0) context.services.log.error({ at: context.id }, 'the JSON path of the target leads nowhere');
  });
}

function writeXPath(
  message: Message,
  value: Enrichment,
  place: Place & { expression: ExpressionSource | undefined },
): void {
  const { expression, action, context } = place;
  message.payload.editEnvelope();
  const found = expression?.expression.language === 'xpath' ? expression.expression.evaluateValue(message) : null;
  const targets = isNodeSet(found as XPathValue) ? (found as readonly XPathNode[]) : [];
  if (targets.length === 0) {
    context.services.log.error({ at: context.id }, 'the XPath of the target leads nowhere; the message is unchanged');
    return;
  }
  for (const target of targets) writeNode(target, nodesOf(value), action);
  message.axis2.delete('NO_ENTITY_BODY');
}

function writeNode(target: XPathNode, nodes: readonly XmlNode[], action: EnrichTarget['action']): void {
  if (target.kind !== 'element') {
    writeLeaf(target, nodes);
    return;
  }
  const isText = nodes.every((node) => node instanceof XmlText);
  const copies = nodes.map((node) => cloneNode(node));
  if (action === 'child') for (const node of copies) appendChild(target, node);
  else if (action === 'sibling') insertBeside(target, copies, 'after');
  else if (isText) {
    target.children = [];
    for (const node of copies) appendChild(target, node);
  } else {
    insertBeside(target, copies, 'before');
    detach(target);
  }
}

/** Attributes and text nodes take the text of the source. */
function writeLeaf(target: XPathNode, nodes: readonly XmlNode[]): void {
  const isText = nodes.every((node) => node instanceof XmlText);
  const text = isText ? nodes.map((node) => node.value).join('') : serializeAll(nodes);
  if (target.kind === 'text') target.value = text;
  else if (target.kind === 'attribute') target.attribute.value = text;
}

function renameKey(message: Message, value: Enrichment, path: JsonPathSource | undefined): void {
  const name = value.kind === 'text' ? value.text : value.kind === 'json' ? textOfValue(value.value) : '';
  const root = message.json();
  if (root === undefined || !path) return;
  path.rename(root, name);
  message.payload.setJsonValue(root);
}

function addToJson(
  message: Message,
  addition: JsonValue,
  change: (root: JsonValue, addition: JsonValue) => void,
): void {
  const root = message.json();
  if (root === undefined) {
    throw new MillraceError({ code: synapseCodes.mediation, message: 'There is no JSON payload to be enriched' });
  }
  change(root, addition);
  message.payload.setJsonValue(root);
}

function addTo(target: JsonValue, addition: JsonValue): void {
  if (Array.isArray(target)) target.push(...(Array.isArray(addition) ? addition : [addition]));
  else if (target instanceof Map && addition instanceof Map) {
    for (const [name, member] of addition) target.set(name, member);
  }
}

function nodesOf(value: Enrichment): XmlNode[] {
  if (value.kind === 'nodes') return value.nodes.slice();
  if (value.kind === 'text') return [new XmlText(value.text)];
  return value.kind === 'json' ? [new XmlText(textOfValue(value.value))] : [];
}

function jsonOf(value: Enrichment): JsonValue {
  if (value.kind === 'json') return value.value;
  if (value.kind === 'text') return value.text;
  return value.kind === 'nodes' ? serializeAll(value.nodes) : null;
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
