import { JsonError, JsonNumber, parseJson, type JsonValue } from '#json';
import { parseXml, serializeXml, XmlError, type XmlElement } from '#xml';

/**
 * A text in the form in which two of them are compared (mediators 17): XML with its attributes sorted and empty
 * namespaces dropped, JSON with its keys sorted and its numbers as doubles, and no white space anywhere.
 */
export function comparable(text: string): string {
  const trimmed = (/^<!\[CDATA\[(.*)\]\]>$/s.exec(text.trim())?.[1] ?? text).trim();
  return normal(trimmed).replace(/\s+/g, '');
}

function normal(text: string): string {
  if (text.startsWith('<')) return sortedXml(text);
  return /^[[{]/.test(text) ? sortedJson(text) : text;
}

function sortedXml(text: string): string {
  try {
    const { root } = parseXml(text);
    sortAttributes(root);
    return serializeXml(root);
  } catch (error) {
    // What only looks like XML is compared as text.
    if (error instanceof XmlError) return text;
    throw error;
  }
}

function sortAttributes(element: XmlElement): void {
  const named = element.declarations.filter(({ prefix, uri }) => prefix !== '' || uri !== '');
  element.declarations = named.sort((left, right) => inOrder(left.prefix, right.prefix));
  element.attributes.sort((left, right) => inOrder(left.prefix + left.local, right.prefix + right.local));
  for (const child of element.children) if (child.kind === 'element') sortAttributes(child);
}

function sortedJson(text: string): string {
  try {
    return JSON.stringify(sorted(parseJson(text)));
  } catch (error) {
    // What only looks like JSON is compared as text.
    if (error instanceof JsonError) return text;
    throw error;
  }
}

function sorted(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  const members = [...value].sort(([left], [right]) => inOrder(left, right));
  return members.map(([name, member]) => [name, sorted(member)]);
}

function inOrder(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
