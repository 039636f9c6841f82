import { textOf } from '#expression';
import { appendChild, childElements, ownText, XmlElement, XmlText } from '#xml';
import { itemsOf, membersOf, scriptName, type MappingSchema } from './schema.ts';

type Plain = Readonly<Record<string, unknown>>;

/** An element as mapping scripts see it: attributes with `attr_`, text beside elements as `_ELEMVAL`. */
export function elementToValue(element: XmlElement, schema: MappingSchema | undefined): unknown {
  const children = childElements(element);
  const text = ownText(element);
  if (children.length === 0 && element.attributes.length === 0) {
    return schema?.type === 'object' && text === '' ? {} : typedText(text, schema?.type);
  }
  const members = membersOf(schema);
  const value: Record<string, unknown> = {};
  for (const { prefix, local, value: content } of element.attributes) {
    const name = `attr_${scriptName(prefix === '' ? local : `${prefix}:${local}`)}`;
    value[name] = typedText(content, members.get(name)?.[1].type);
  }
  if (text.trim() !== '') value['_ELEMVAL'] = children.length === 0 ? typedText(text, 'string') : text;
  for (const child of children) {
    const name = scriptName(child.name);
    const member = members.get(name)?.[1];
    const isArray = member?.type === 'array';
    const item = elementToValue(child, isArray ? itemsOf(member) : member);
    const present = Object.hasOwn(value, name) ? value[name] : undefined;
    if (present === undefined) value[name] = isArray ? [item] : item;
    else value[name] = Array.isArray(present) ? [...(present as readonly unknown[]), item] : [present, item];
  }
  return value;
}

function typedText(text: string, type: string | undefined): unknown {
  const trimmed = text.trim();
  if (type === 'boolean') return trimmed === 'true';
  if (type !== 'number' && type !== 'integer' && type !== 'double') return text;
  const number = Number(trimmed);
  return trimmed === '' || Number.isNaN(number) ? text : number;
}

/** The result of a mapping as an element named by the title of its schema. */
export function valueToElement(value: unknown, schema: MappingSchema): XmlElement {
  const namespaces = new Map((schema.namespaces ?? []).map(({ prefix, url }) => [prefix, url]));
  const root = elementFor(schema.title ?? 'root', namespaces);
  for (const [prefix, uri] of namespaces) root.declarations.push({ prefix, uri });
  const title = scriptName(schema.title ?? 'root');
  const isWrapped = isPlain(value) && Object.keys(value).length === 1 && Object.hasOwn(value, title);
  fill(root, isWrapped ? value[title] : value, { schema, namespaces });
  return root;
}

interface FillContext {
  readonly schema: MappingSchema | undefined;
  readonly namespaces: ReadonlyMap<string, string>;
}

function fill(element: XmlElement, value: unknown, { schema, namespaces }: FillContext): void {
  if (value === undefined || value === null) return;
  if (!isPlain(value)) {
    appendChild(element, new XmlText(textOf(value)));
    return;
  }
  const members = membersOf(schema);
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || member === null) continue;
    if (key === '_ELEMVAL') {
      appendChild(element, new XmlText(textOf(member)));
      continue;
    }
    const [name, memberSchema] = members.get(key) ?? [key.replace(/^attr_/, ''), undefined];
    if (key.startsWith('attr_')) {
      const [prefix, local] = name.includes(':') ? (name.split(':', 2) as [string, string]) : ['', name];
      element.attributes.push({ prefix, local, uri: namespaces.get(prefix) ?? '', value: textOf(member) });
      continue;
    }
    const itemSchema = memberSchema?.type === 'array' ? itemsOf(memberSchema) : memberSchema;
    for (const item of Array.isArray(member) ? (member as readonly unknown[]) : [member]) {
      const child = elementFor(name, namespaces);
      fill(child, item, { schema: itemSchema, namespaces });
      appendChild(element, child);
    }
  }
}

function elementFor(name: string, namespaces: ReadonlyMap<string, string>): XmlElement {
  const colon = name.indexOf(':');
  if (colon >= 0) {
    const prefix = name.slice(0, colon);
    return new XmlElement(name.slice(colon + 1), namespaces.get(prefix) ?? '', prefix);
  }
  const underscore = name.indexOf('_');
  const prefix = underscore > 0 ? name.slice(0, underscore) : '';
  const uri = namespaces.get(prefix);
  // A name that the schema does not list may still carry its prefix as scripts write it.
  return uri === undefined || prefix === ''
    ? new XmlElement(name)
    : new XmlElement(name.slice(underscore + 1), uri, prefix);
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
