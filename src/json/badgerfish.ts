import { appendChild, childElements, lookupNamespace, ownText, XmlElement, XmlText } from '#xml';
import { JsonMappingError } from './error.ts';
import { JsonNumber, type JsonObject, type JsonValue } from './value.ts';

/**
 * An element in the Badgerfish convention (runtime-core 6.8): text in `$`, attributes as `@name`, namespaces in
 * `@xmlns`, repeated elements as arrays, all values strings.
 */
export function xmlToBadgerfish(element: XmlElement): JsonObject {
  return new Map([[element.name, contentOf(element)]]);
}

function contentOf(element: XmlElement): JsonObject {
  const content: JsonObject = new Map();
  if (element.declarations.length > 0) {
    content.set('@xmlns', new Map(element.declarations.map(({ prefix, uri }) => [prefix === '' ? '$' : prefix, uri])));
  }
  for (const { prefix, local, value } of element.attributes) {
    content.set(prefix === '' ? `@${local}` : `@${prefix}:${local}`, value);
  }
  const text = ownText(element);
  if (text.trim() !== '') content.set('$', text);
  for (const child of childElements(element)) {
    const earlier = content.get(child.name);
    if (earlier === undefined) content.set(child.name, contentOf(child));
    else if (Array.isArray(earlier)) earlier.push(contentOf(child));
    else content.set(child.name, [earlier, contentOf(child)]);
  }
  return content;
}

/**
 * The element that an object in the Badgerfish convention describes.
 *
 * @throws JsonMappingError when it is no object with one member, or a prefix is not declared
 */
export function badgerfishToXml(value: JsonValue): XmlElement {
  const members = value instanceof Map ? [...value] : [];
  const [only] = members;
  if (!only || members.length > 1 || Array.isArray(only[1])) {
    throw new JsonMappingError('expected a Badgerfish object with one member, the root element');
  }
  const root = new XmlElement('');
  fill(root, only[0], only[1]);
  return root;
}

function fill(element: XmlElement, name: string, value: JsonValue): void {
  if (!(value instanceof Map)) throw new JsonMappingError(`the member "${name}" is no object, as Badgerfish demands`);
  const namespaces = value.get('@xmlns');
  if (namespaces instanceof Map) {
    for (const [prefix, uri] of namespaces) {
      element.declarations.push({ prefix: prefix === '$' ? '' : prefix, uri: textOf(uri) });
    }
  }
  Object.assign(element, resolved(element, name));
  for (const [member, content] of value) {
    if (member === '@xmlns') continue;
    if (member === '$') appendChild(element, new XmlText(textOf(content)));
    else if (member.startsWith('@')) {
      const local = member.slice(1);
      const names = local.includes(':') ? resolved(element, local) : { prefix: '', local, uri: '' };
      element.attributes.push({ ...names, value: textOf(content) });
    } else {
      for (const item of Array.isArray(content) ? content : [content]) {
        const child = new XmlElement('');
        appendChild(element, child);
        fill(child, member, item);
      }
    }
  }
}

interface Names {
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
}

function resolved(element: XmlElement, name: string): Names {
  const colon = name.indexOf(':');
  const prefix = name.slice(0, Math.max(0, colon));
  const uri = lookupNamespace(element, prefix);
  const local = name.slice(colon + 1);
  if (uri === undefined) throw new JsonMappingError(`the prefix of "${name}" is not declared`);
  if (!/^[\p{L}_][\p{L}\p{N}\p{M}._\u00b7-]*$/u.test(local)) {
    throw new JsonMappingError(`the member "${name}" cannot become an XML name`);
  }
  return { prefix, local, uri };
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'boolean') return String(value);
  throw new JsonMappingError('expected text where Badgerfish has an attribute or text');
}
