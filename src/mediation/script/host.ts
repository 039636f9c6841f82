import type { Logger } from '#core';
import { messageOf } from '#errors';
import { compileExpression, isXmlNode, textOf } from '#expression';
import { JsonNumber, parseJson, stringifyJson, type JsonValue } from '#json';
import { isTextWrapper, removeProperty, setProperty, type Message, type Payload, type WritableScope } from '#message';
import { appendChild, deepText, headerOf, parseXml, serializeXml, soapVersionOf, XmlElement, type XmlNode } from '#xml';
import type { Library } from '../context.ts';
import type { XmlTree } from './guest-xml.ts';
import { flags, readAddress, setTracingState, tracingStateOf, writeAddress } from './message-facts.ts';
import type { Call, Carried } from './protocol.ts';

/** What calls from an isolate act on. */
export interface ScriptHost {
  readonly message: Message;
  readonly library: Library;
  readonly log: Logger;
  /** Identity of the mediator, for the log. */
  readonly at: string;
}

type Handler = (host: ScriptHost, ...args: Carried[]) => unknown;

/** The questions that a script may ask, and the changes that the message may refuse (mediators 4.8). */
const questions: Readonly<Record<string, Handler>> = {
  json: ({ message }) => message.json(),
  jsonText: ({ message }) => message.payload.toJsonText(),
  text: ({ message }) => payloadText(message),
  xml: ({ message }) => message.payload.content(),
  envelope: ({ message }) => message.envelope(),
  property: ({ message }, scope, name) => message.property(scopeOf(scope), plain(name)),
  propertyNames: ({ message }) => [...message.properties.keys()],
  variable: ({ message }, name) => message.variable(plain(name)),
  variableNames: ({ message }) => [...message.variables.keys()],
  entry: ({ message }, key) =>
    message.exchange.environment.localEntry(plain(key)) ?? message.exchange.environment.resource(plain(key)),
  hasArtifact: ({ library }, kind, name) => hasArtifact(library, plain(kind), plain(name)),
  address: ({ message }, name) => readAddress(message, plain(name)),
  flag: ({ message }, name) => flags[plain(name)]?.read(message),
  tracingState: ({ message }) => tracingStateOf(message),
  parseXml: (_, text) => parseXml(plain(text)).root,
  xpath: ({ message }, expression) =>
    compileExpression(plain(expression), { namespaces: new Map() }).evaluateString(message),
  setXml: ({ message }, text) => filled(message).setContent([parseXml(plain(text)).root]),
  setEnvelope: ({ message }, text) => filled(message).setEnvelope(envelopeOf(plain(text))),
  addHeader: ({ message }, mustUnderstand, text) => addHeader(message, mustUnderstand === true, plain(text)),
};

/** The changes that always succeed. */
const changes: Readonly<Record<string, Handler>> = {
  setJson: ({ message }, text) => filled(message).setJson(plain(text)),
  setProperty: ({ message }, ...[scope, name, value]) =>
    setProperty(message, { scope: scopeOf(scope), name: plain(name) }, unpack(value)),
  removeProperty: ({ message }, scope, name) => removeProperty(message, { scope: scopeOf(scope), name: plain(name) }),
  setVariable: ({ message }, name, value) => message.variables.set(plain(name), unpack(value)),
  removeVariable: ({ message }, name) => message.variables.delete(plain(name)),
  setAddress: ({ message }, name, value) =>
    writeAddress(message, plain(name), value === null ? undefined : plain(value)),
  setFlag: ({ message }, name, value) => flags[plain(name)]?.write(message, value === true),
  setTracingState: ({ message }, state) => setTracingState(message, Number(plain(state))),
  log: ({ log, at }, level, text) => writeLog(log, { at, level: plain(level), text: plain(text) }),
};

/** Makes the changes that a script collected. */
export function applyChanges(host: ScriptHost, calls: readonly Call[]): void {
  for (const [name, ...args] of calls) {
    if (Object.hasOwn(changes, name)) changes[name]?.(host, ...args);
  }
}

/** Answers one question, as the isolate carries values. @throws Error for what the message refuses */
export function answerQuestion(host: ScriptHost, [name, ...args]: Call): Carried {
  return Object.hasOwn(questions, name) ? carry(questions[name]?.(host, ...args)) : null;
}

/** Answers a question and its failures as the text that the isolate reads. */
export function answerText(host: ScriptHost, pending: string, question: string): string {
  try {
    applyChanges(host, JSON.parse(pending) as readonly Call[]);
    return JSON.stringify({ value: answerQuestion(host, JSON.parse(question) as Call) });
  } catch (error) {
    return JSON.stringify({ error: messageOf(error) });
  }
}

/** The text of an argument that is a name. */
function plain(value: Carried | undefined): string {
  return typeof value === 'object' ? '' : String(value);
}

/** Something of a message as it goes into an isolate. */
export function carry(value: unknown): Carried {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof JsonNumber) return Number(value.text);
  if (value instanceof XmlElement) return { form: 'tree', tree: treeOf(value) };
  if (value instanceof Error) return value.message;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return { form: 'json', text: JSON.stringify(value) };
  if (Array.isArray(value) && value.length > 0 && value.every((item) => isXmlNode(item))) return carryNodes(value);
  if (Array.isArray(value) || value instanceof Map) return { form: 'json', text: stringifyJson(value as JsonValue) };
  return textOf(value);
}

/** Something that a script made, as messages hold it. */
export function unpack(value: Carried | undefined): unknown {
  if (value === undefined || value === null || typeof value !== 'object') return value ?? null;
  if (value.form === 'markup') return parseXml(value.text).root;
  return value.form === 'json' ? parseJson(value.text) : null;
}

function carryNodes(nodes: readonly XmlNode[]): Carried {
  const [first] = nodes;
  return nodes.length === 1 && first instanceof XmlElement
    ? { form: 'tree', tree: treeOf(first) }
    : nodes.map(deepText).join('');
}

/** The tree of an element with every namespace declared that it uses. */
function treeOf(element: XmlElement): XmlTree {
  return element.parent ? nodeTree(parseXml(serializeXml(element)).root) : nodeTree(element);
}

function nodeTree(element: XmlElement): XmlTree {
  const declarations = element.declarations.map(
    ({ prefix, uri }) => [prefix === '' ? 'xmlns' : `xmlns:${prefix}`, uri] as const,
  );
  const attributes = element.attributes.map(
    ({ prefix, local, value }) => [prefix === '' ? local : `${prefix}:${local}`, value] as const,
  );
  const children = element.children.flatMap((child): readonly (XmlTree | string)[] => {
    if (child.kind === 'element') return [nodeTree(child)];
    return child.kind === 'text' ? [child.value] : [];
  });
  return [element.name, element.uri, [...declarations, ...attributes], children];
}

/** The payload of a message that will have one from now on. */
function filled({ axis2, payload }: Message): Payload {
  axis2.delete('NO_ENTITY_BODY');
  return payload;
}

const scopes: readonly WritableScope[] = ['default', 'axis2', 'axis2-client', 'transport', 'operation'];

function scopeOf(scope: Carried | undefined): WritableScope {
  const known = scopes.find((name) => name === scope);
  if (!known) throw new Error(`there is no scope "${plain(scope)}"; expected one of ${scopes.join(', ')}`);
  return known;
}

function payloadText({ payload }: Message): string | undefined {
  if (payload.hasJson()) return payload.jsonText();
  const content = payload.content();
  if (content === undefined) return '';
  return isTextWrapper(content) ? deepText(content) : serializeXml(content);
}

function envelopeOf(text: string): XmlElement {
  const { root } = parseXml(text);
  if (soapVersionOf(root) === undefined) throw new Error(`a SOAP envelope was expected, found <${root.name}>`);
  return root;
}

function addHeader(message: Message, mustUnderstand: boolean, text: string): void {
  const { root } = parseXml(text);
  const envelope = message.payload.editEnvelope();
  if (mustUnderstand) {
    const { prefix, uri } = envelope;
    const value = soapVersionOf(envelope) === 'soap11' ? '1' : 'true';
    root.attributes.push({ prefix, local: 'mustUnderstand', uri, value });
    root.declarations.push({ prefix, uri });
  }
  appendChild(headerOf(envelope), root);
}

function hasArtifact(library: Library, kind: string, name: string): boolean {
  if (kind === 'sequence') return library.sequence(name) !== undefined;
  return (kind === 'endpoint' ? library.endpoint(name) : library.sequenceTemplate(name)) !== undefined;
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

function writeLog(log: Logger, { at, level, text }: { at: string; level: string; text: string }): void {
  log[levels.find((known) => known === level) ?? 'info']({ at }, text);
}
