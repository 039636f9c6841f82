import { appendChild, isXmlText, XmlElement, XmlText } from '#xml';
import { losslessNamespace, mark, type TypeMark } from './lossless-marks.ts';
import { wrapperNames, type MappingOptions } from './mapping-options.ts';
import { toLosslessName } from './names.ts';
import { primitiveText } from './primitive.ts';
import { stringifyJson } from './stringify.ts';
import type { JsonArray, JsonObject, JsonValue } from './value.ts';

const wrappers: ReadonlySet<string> = new Set(Object.values(wrapperNames));

/**
 * The XML view of a value from which exactly the same value can be read, whatever it is: elements as without `lossless`,
 * marked by attributes where they would be read as something else.
 */
export function losslessView(value: JsonValue, options: MappingOptions): XmlElement {
  const root = new XmlElement(rootName(value));
  root.declarations.push({ prefix: 'json', uri: losslessNamespace });
  if (value instanceof Map) fillObject(root, value, options);
  else if (Array.isArray(value)) fillArray(root, value, options);
  else appendChild(root, new XmlText(xmlSafe(stringifyJson(value))));
  return root;
}

function rootName(value: JsonValue): string {
  if (value instanceof Map) return wrapperNames.object;
  return Array.isArray(value) ? wrapperNames.array : wrapperNames.value;
}

function fill(element: XmlElement, value: JsonValue, options: MappingOptions): void {
  if (value instanceof Map) fillObject(element, value, options);
  else if (Array.isArray(value)) {
    const array = new XmlElement(wrapperNames.array);
    appendChild(element, array);
    mark(element, 'type', 'array');
    fillArray(array, value, options);
  } else if (typeof value === 'string') fillString(element, value, options);
  else if (value === null) mark(element, 'type', 'null');
  else {
    const text = stringifyJson(value);
    if (primitiveText(text, options) !== text) mark(element, 'type', typeof value === 'boolean' ? 'boolean' : 'number');
    appendChild(element, new XmlText(text));
  }
}

function fillString(element: XmlElement, value: string, options: MappingOptions): void {
  const isSafe = isXmlText(value);
  const type: TypeMark | undefined = isSafe ? (isPlain(value, options) ? undefined : 'string') : 'literal';
  if (type !== undefined) mark(element, 'type', type);
  if (value !== '') appendChild(element, new XmlText(isSafe ? value : xmlSafe(JSON.stringify(value))));
}

/** True for a string that is read as itself without a mark. */
function isPlain(value: string, options: MappingOptions): boolean {
  return /[^ \t\r\n]/.test(value) && primitiveText(value, options) === JSON.stringify(value);
}

function fillArray(array: XmlElement, items: JsonArray, options: MappingOptions): void {
  if (array.parent === null) mark(array, 'type', 'array');
  for (const item of items) {
    const element = new XmlElement(wrapperNames.element);
    appendChild(array, element);
    fill(element, item, options);
  }
}

function fillObject(element: XmlElement, members: JsonObject, options: MappingOptions): void {
  let inFront = true;
  let isPlainObject = members.size > 0;
  for (const [name, value] of members) {
    inFront &&= isAttribute(name, value);
    if (inFront && typeof value === 'string') {
      isPlainObject = false;
      element.attributes.push({ prefix: '', local: toLosslessName(name.slice(1)), uri: '', value });
    } else {
      isPlainObject &&= !wrappers.has(name);
      addMember(element, name, { value, options });
    }
  }
  if (!isPlainObject) mark(element, 'type', 'object');
}

/** Attributes stand in front and are strings; other members with such names become elements. */
function isAttribute(name: string, value: JsonValue): boolean {
  return name.startsWith('@') && name !== '@xmlns' && typeof value === 'string' && isXmlText(value);
}

interface Member {
  readonly value: JsonValue;
  readonly options: MappingOptions;
}

function addMember(element: XmlElement, name: string, { value, options }: Member): void {
  const items = Array.isArray(value) ? value : undefined;
  for (const [index, item] of (items ?? [value]).entries()) {
    const child = new XmlElement(toLosslessName(name));
    appendChild(element, child);
    if (items && index === 0) mark(child, 'array', 'first');
    fill(child, item, options);
  }
  if (items?.length === 0) {
    const child = new XmlElement(toLosslessName(name));
    mark(child, 'array', 'empty');
    appendChild(element, child);
  }
}

/** JSON in which characters that XML cannot have are escapes. */
function xmlSafe(json: string): string {
  return json.replace(/[\ufffe\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
