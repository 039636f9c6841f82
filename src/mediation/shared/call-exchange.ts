import { MillraceError, synapseCodes } from '#errors';
import { getHeader, mediaTypeOf, Payload, removeHeader, setHeader, setProperty, type Message } from '#message';
import { cloneNode, firstElement, ownText, XmlElement, type SourceNode } from '#xml';
import { parseXml } from '#xml';
import { declareNamespaces, expressionSource, synapseElement, textElement, type ExpressionSource } from '../reading.ts';
import { textOfValue } from './typed-value.ts';

const sourceTypes = ['custom', 'inline', 'property', 'body'] as const;
const targetTypes = ['body', 'property', 'variable'] as const;

/** What `<call>` sends instead of the message's own payload. */
export interface CallSource {
  readonly type: (typeof sourceTypes)[number];
  readonly contentType: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly text: string;
  readonly inline: XmlElement | undefined;
}

/** Where `<call>` puts the answer. */
export interface CallTarget {
  readonly type: (typeof targetTypes)[number];
  readonly name: string;
}

export function readCallSource(node: SourceNode): CallSource {
  const type = node.choice('type', sourceTypes, 'custom');
  const text = node.text();
  if (type === 'property' && text === '') node.error('<source type="property"> needs the name of a property');
  return {
    type,
    contentType: node.attribute('contentType'),
    expression: type === 'custom' && text !== '' ? expressionSource(node, withoutBraces(text)) : undefined,
    text,
    inline: type === 'inline' ? firstElement(node.element) : undefined,
  };
}

export function readCallTarget(node: SourceNode): CallTarget {
  const type = node.choice('type', targetTypes, 'body');
  const name = node.text();
  if (type !== 'body' && name === '') node.error(`<target type="${type}"> needs a name`);
  return { type, name };
}

export function serializeCallExchange(source: CallSource | undefined, target: CallTarget | undefined): XmlElement[] {
  const parts: XmlElement[] = [];
  if (source) {
    const element = source.inline
      ? synapseElement('source', {}, [cloneNode(source.inline)])
      : textElement('source', source.text);
    element.attributes.push({ prefix: '', local: 'type', uri: '', value: source.type });
    if (source.contentType !== undefined) {
      element.attributes.push({ prefix: '', local: 'contentType', uri: '', value: source.contentType });
    }
    parts.push(declareNamespaces(element, [source.expression]));
  }
  if (target) {
    const element = target.name === '' ? synapseElement('target') : textElement('target', target.name);
    element.attributes.push({ prefix: '', local: 'type', uri: '', value: target.type });
    parts.push(element);
  }
  return parts;
}

export interface CallExchange {
  /** Puts the source into the message; the result, to be called with the loaded answer in place, does the rest. */
  before(message: Message): (answer: Message) => void;
}

/** Compiles source and target; undefined when the call has neither (mediators 2.5). */
export function compileCallExchange(
  source: CallSource | undefined,
  target: CallTarget | undefined,
): CallExchange | undefined {
  if (!source && !target) return undefined;
  return {
    before(message) {
      const toBody = !target || target.type === 'body';
      const giveBack = target && keepParts(message, { withPayload: !toBody });
      if (source && source.type !== 'body') writeSource(message, source);
      return (answered) => {
        if (!giveBack) return;
        const answer = { payload: answered.payload, headers: answered.headers, status: answered.axis2.get('HTTP_SC') };
        giveBack(answered);
        if (target.type === 'property')
          setProperty(answered, { scope: 'default', name: target.name }, valueOfPayload(answer.payload));
        else if (target.type === 'variable') answered.variables.set(target.name, resultVariable(answer));
      };
    },
  };
}

/**
 * Takes what a template leaves as its result: into a variable, without the payload when the body keeps that, else the
 * message having its own payload, headers and content type again (mediators 2.7).
 */
export function callTarget(variable: string, keepsBody: boolean): CallExchange {
  return {
    before(message) {
      const giveBack = keepsBody ? undefined : keepParts(message, { withPayload: true });
      return (answered) => {
        const { payload, headers, axis2 } = answered;
        const result = resultVariable({ payload, headers, status: axis2.get('HTTP_SC') });
        if (keepsBody) result.delete('payload');
        answered.variables.set(variable, result);
        giveBack?.(answered);
      };
    },
  };
}

/** What says of which kind the body is, if it has one; the rest of scope axis2 is that of an answer (mediators 2.5). */
const bodyProperties = ['messageType', 'ContentType', 'NO_ENTITY_BODY'] as const;

/** Keeps the headers of a message, with or without its payload and what describes that; the result gives them back. */
function keepParts(message: Message, { withPayload }: { readonly withPayload: boolean }): (answered: Message) => void {
  const { headersOf } = message;
  const headers = message.headers.slice();
  const payload = withPayload ? message.payload.clone() : undefined;
  const described = bodyProperties.map((name) => [name, message.axis2.get(name)] as const);
  return (answered) => {
    const contentType = getHeader(answered.headers, 'Content-Type');
    answered.headers = headers.slice();
    answered.headersOf = headersOf;
    if (!payload) {
      if (contentType === undefined) removeHeader(answered.headers, 'Content-Type');
      else setHeader(answered.headers, 'Content-Type', contentType);
      return;
    }
    answered.payload = payload.clone();
    for (const [name, value] of described) {
      if (value === undefined) answered.axis2.delete(name);
      else answered.axis2.set(name, value);
    }
  };
}

function writeSource(message: Message, source: CallSource): void {
  const value = sourceValue(message, source);
  message.payload = new Payload();
  const contentType = source.contentType ?? contentTypeFor(value);
  if (value instanceof XmlElement) message.payload.setContent([cloneNode(value)]);
  else if (mediaTypeOf(contentType) === 'application/json') message.payload.setJson(textOfValue(value));
  else if (/[/+]xml$/.test(mediaTypeOf(contentType))) message.payload.setContent([parseXml(textOfValue(value)).root]);
  else message.payload.setText(textOfValue(value));
  setProperty(message, { scope: 'axis2', name: 'messageType' }, contentType);
  message.axis2.delete('NO_ENTITY_BODY');
}

function sourceValue(message: Message, source: CallSource): unknown {
  switch (source.type) {
    case 'inline':
      return source.inline ?? source.text;
    case 'property':
      return message.property('default', source.text);
    case 'custom': {
      const value = source.expression?.expression.evaluateValue(message);
      return Array.isArray(value) && value[0] instanceof XmlElement ? value[0] : value;
    }
    case 'body':
      return undefined;
  }
}

function contentTypeFor(value: unknown): string {
  if (value instanceof XmlElement) return 'application/xml';
  const text = textOfValue(value).trimStart();
  if (text.startsWith('{') || text.startsWith('[')) return 'application/json';
  return text.startsWith('<') ? 'application/xml' : 'text/plain';
}

function valueOfPayload(payload: Payload): unknown {
  return payload.jsonText() ?? (payload.content() && cloneNode(contentOf(payload)));
}

function contentOf(payload: Payload): XmlElement {
  const content = payload.content();
  if (!content) throw new MillraceError({ code: synapseCodes.mediation, message: 'The answer has no payload' });
  return content;
}

/** The object that `${vars.name}` gives: payload, headers, attributes (mediators 2.5). */
function resultVariable(answer: { payload: Payload; headers: string[]; status: unknown }): Map<string, unknown> {
  const json = answer.payload.jsonText();
  const headers = new Map<string, unknown>();
  for (let index = 0; index < answer.headers.length; index += 2) {
    const name = answer.headers[index] ?? '';
    headers.set(name, getHeader(answer.headers, name));
  }
  const content = answer.payload.content();
  const plain = content && isText(content) ? ownText(content) : content;
  return new Map<string, unknown>([
    ['payload', json === undefined ? plain : answer.payload.jsonValue()],
    ['headers', headers],
    ['attributes', new Map<string, unknown>([['statusCode', answer.status]])],
  ]);
}

function isText(element: XmlElement): boolean {
  return element.local === 'text' && element.uri === 'http://ws.apache.org/commons/ns/payload';
}

/** The graphical editor writes the expression of a source in braces. */
function withoutBraces(text: string): string {
  return text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
}
