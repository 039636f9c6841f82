import { appendChild, XmlElement, XmlInstruction, XmlText } from '#xml';
import { JsonError, JsonMappingError } from './error.ts';
import { losslessView } from './lossless-to-xml.ts';
import { wrapperNames, type MappingOptions } from './mapping-options.ts';
import { toXmlName } from './names.ts';
import { parseJson, startOfValue } from './parse.ts';
import { stringifyJson } from './stringify.ts';
import { JsonNumber, type JsonObject, type JsonValue } from './value.ts';

const scalarText = /^(?:"[\s\S]*"|true|false|null|-?[0-9]+(?:\.[0-9]+)?)$/;

/**
 * The XML view of a JSON text (runtime-core 6.5): `jsonObject`, `jsonArray` or `jsonValue`; undefined when the text is
 * empty or consists of spaces.
 *
 * @throws JsonError for malformed text
 * @throws JsonMappingError for names that XML cannot have
 */
export function jsonToXml(text: string, options: MappingOptions = {}): XmlElement | undefined {
  if (/^ *$/.test(text)) return undefined;
  if (options.lossless) return losslessView(parseJson(text, { skipLeading: /^[^\s{["tnf\-0-9]/.test(text) }), options);
  if (scalarText.test(text) && text !== '"') return withText(new XmlElement(wrapperNames.value), text);
  const start = startOfValue(text);
  const first = text.charAt(start);
  if (first !== '{' && first !== '[') throw new JsonError('expected a JSON value', text, Math.max(0, start));
  return jsonValueToXml(parseJson(text, { skipLeading: true }), options);
}

/**
 * The XML view of a parsed value.
 *
 * @throws JsonMappingError for names that XML cannot have
 */
export function jsonValueToXml(value: JsonValue, options: MappingOptions = {}): XmlElement {
  if (options.lossless) return losslessView(value, options);
  if (Array.isArray(value)) return arrayElement(value, '', options);
  if (value instanceof Map) {
    const root = new XmlElement(wrapperNames.object);
    addMembers(root, value, options);
    return root;
  }
  return withText(new XmlElement(wrapperNames.value), stringifyJson(value));
}

function arrayElement(items: readonly JsonValue[], uri: string, options: MappingOptions): XmlElement {
  const array = new XmlElement(wrapperNames.array, uri);
  for (const item of items) {
    const element = new XmlElement(wrapperNames.element, uri);
    appendChild(array, element);
    fill(element, item, options);
  }
  return array;
}

function fill(element: XmlElement, value: JsonValue, options: MappingOptions): void {
  if (Array.isArray(value)) appendChild(element, arrayElement(value, element.uri, options));
  else if (value instanceof Map) addMembers(element, value, options);
  else if (value === null) {
    if (options.nil) element.attributes.push({ prefix: '', local: 'nil', uri: '', value: 'true' });
  } else if (value !== '') withText(element, scalarOf(value));
}

function addMembers(element: XmlElement, members: JsonObject, options: MappingOptions): void {
  const namespace = members.get('@xmlns');
  if (typeof namespace === 'string') {
    element.uri = namespace;
    element.declarations.push({ prefix: '', uri: namespace });
  }
  for (const [name, value] of members) addMember(element, name, { value, options });
}

interface Member {
  readonly value: JsonValue;
  readonly options: MappingOptions;
}

function addMember(element: XmlElement, name: string, { value, options }: Member): void {
  const isScalar = !(value instanceof Map) && !Array.isArray(value);
  if (name.startsWith('@') && name.length > 1) {
    if (!isScalar) throw new JsonMappingError(`the member "${name}" would be an attribute but has no scalar value`);
    if (name === '@xmlns') return;
    const local = toXmlName(name.slice(1), options.validNames ?? false);
    element.attributes.push({ prefix: '', local, uri: '', value: scalarOf(value) });
  } else if (name === '$') {
    if (!isScalar) throw new JsonMappingError('the member "$" would be text but has no scalar value');
    withText(element, scalarOf(value));
  } else {
    addChildren(element, toXmlName(name, options.validNames ?? false), { value, options });
  }
}

function addChildren(element: XmlElement, name: string, { value, options }: Member): void {
  if (Array.isArray(value) && options.writeMultiple) appendChild(element, new XmlInstruction('xml-multiple', name));
  for (const item of Array.isArray(value) ? value : [value]) {
    const child = new XmlElement(name, element.uri);
    appendChild(element, child);
    fill(child, item, options);
  }
}

function scalarOf(value: Exclude<JsonValue, JsonObject | JsonValue[]>): string {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : String(value);
}

function withText(element: XmlElement, text: string): XmlElement {
  appendChild(element, new XmlText(text));
  return element;
}
