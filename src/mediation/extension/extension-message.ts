import { JsonNumber, parseJson, stringifyJson, type JsonValue } from '#json';
import { textOf } from '#expression';
import { isTextWrapper, removeHeader, removeProperty, setHeader, setProperty, type Message } from '#message';
import { deepText, parseXml, serializeXml, XmlElement } from '#xml';
import type { ExtensionMessage, ExtensionScope } from './types.ts';

/** Shows a message to an extension. */
export function extensionMessage(message: Message): ExtensionMessage {
  /** The payload, which from now on is sent as `type` unless it goes out as something that fits already. */
  const filled = (type: string, fits: RegExp): Message['payload'] => {
    message.axis2.delete('NO_ENTITY_BODY');
    const present = textOf(message.axis2.get('messageType') ?? message.payload.receivedContentType);
    if (!fits.test(present)) setProperty(message, { scope: 'axis2', name: 'messageType' }, type);
    return message.payload;
  };
  return {
    id: message.id,
    get isResponse() {
      return message.response;
    },
    get to() {
      return message.addressing.to;
    },
    set to(address) {
      message.addressing.to = address;
    },
    json: () => plainValue(message.json()),
    setJson: (value) => filled('application/json', /[/+]json\b/i).setJson(JSON.stringify(value) ?? 'null'),
    text: () => payloadText(message),
    setText: (text) => filled('text/plain', /^text\/plain\b/i).setText(text),
    xml() {
      const content = message.payload.content();
      return content && serializeXml(content);
    },
    setXml: (markup) => filled('application/xml', /[/+]xml\b/i).setContent([parseXml(markup).root]),
    envelope: () => serializeXml(message.envelope()),
    property: (name, scope = 'default') => plainValue(message.property(scope, name)),
    setProperty(name, value, scope: ExtensionScope = 'default') {
      setProperty(message, { scope, name }, messageValue(value));
    },
    removeProperty: (name, scope = 'default') => removeProperty(message, { scope, name }),
    propertyNames: () => [...message.properties.keys()],
    header: (name) => message.header(name),
    setHeader: (name, value) => setHeader(message.headers, name, value),
    removeHeader: (name) => removeHeader(message.headers, name),
    variable: (name) => plainValue(message.variable(name)),
    setVariable: (name, value) => void message.variables.set(name, messageValue(value)),
    removeVariable: (name) => void message.variables.delete(name),
    async respond() {
      message.response = true;
      await message.exchange.answer(message);
    },
    resource: (key) => message.exchange.environment.resource(key),
  };
}

/** A value of a message in the form that extensions know: JSON as plain values, XML as markup. */
export function plainValue(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof JsonNumber) return Number(value.text);
  if (value instanceof XmlElement) return serializeXml(value);
  if (value instanceof Map || Array.isArray(value)) return JSON.parse(stringifyJson(value as JsonValue));
  return textOf(value);
}

/** A value that an extension made, as messages hold it. */
export function messageValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return typeof value === 'function' ? null : value;
  return parseJson(JSON.stringify(value));
}

function payloadText({ payload }: Message): string {
  if (payload.hasJson()) return payload.jsonText() ?? '';
  const content = payload.content();
  if (content === undefined) return '';
  return isTextWrapper(content) ? deepText(content) : serializeXml(content);
}
