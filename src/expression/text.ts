import { JsonNumber, stringifyJson, type JsonValue } from '#json';
import { serializeAll, XmlComment, XmlElement, XmlInstruction, XmlText, type XmlNode } from '#xml';

/** True for a node of an XML tree. */
export function isXmlNode(value: unknown): value is XmlNode {
  return (
    value instanceof XmlElement ||
    value instanceof XmlText ||
    value instanceof XmlComment ||
    value instanceof XmlInstruction
  );
}

/** True for a list that consists of XML nodes. */
export function isNodeList(value: unknown): value is XmlNode[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isXmlNode(item));
}

/**
 * The text of anything that a property or variable may hold: strings as they are, numbers and booleans as written, JSON
 * as compact text, XML as markup; nothing is the empty string.
 */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (isXmlNode(value)) return serializeAll([value]);
  if (isNodeList(value)) return serializeAll(value);
  return stringifyJson(toJson(value));
}

/** A value of a property or variable as JSON; XML within becomes a string of markup, functions become null. */
export function toJson(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || value instanceof JsonNumber) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? new JsonNumber(String(value)) : String(value);
  if (typeof value === 'bigint') return new JsonNumber(String(value));
  if (isXmlNode(value)) return serializeAll([value]);
  if (Array.isArray(value)) return value.map((item) => toJson(item));
  if (typeof value !== 'object') return null;
  const members = new Map<string, JsonValue>();
  for (const [name, member] of value instanceof Map ? value : Object.entries(value)) {
    members.set(String(name), toJson(member));
  }
  return members;
}
