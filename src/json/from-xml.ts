import { childElements, ownText, type XmlAttribute, type XmlElement, type XmlNode } from '#xml';
import { JsonMappingError } from './error.ts';
import { losslessNamespace, markOf } from './lossless-marks.ts';
import { wrapperNames, type MappingOptions } from './mapping-options.ts';
import { fromLosslessName, toMemberName } from './names.ts';
import { parseJson } from './parse.ts';
import { isJsonNumber, primitiveText } from './primitive.ts';
import { stringifyJson } from './stringify.ts';
import type { JsonValue } from './value.ts';

const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance';

/**
 * Converts an element to JSON text (runtime-core 6.7). Equal siblings that do not stand side by side become members of
 * the same name.
 *
 * @throws JsonMappingError for text between child elements
 * @throws JsonError when marked text is no JSON
 */
export function xmlToJsonText(element: XmlElement, options: MappingOptions = {}): string {
  if (options.lossless && markOf(element, 'type') === 'array') return itemsText(element, options);
  if (element.local === wrapperNames.object) return objectText(element, options);
  if (element.local === wrapperNames.array && holdsOnlyItems(element)) return arrayText(element, options);
  if (element.local === wrapperNames.value) {
    const text = ownText(element).trim();
    return options.lossless ? stringifyJson(parseJson(text)) : text;
  }
  return `{${memberText(element, options)}}`;
}

/**
 * Converts an element to a JSON value; of equal member names the last one wins.
 *
 * @throws JsonMappingError for text between child elements
 * @throws JsonError when a `jsonValue` element holds no JSON
 */
export function xmlToJson(element: XmlElement, options: MappingOptions = {}): JsonValue {
  return parseJson(xmlToJsonText(element, options));
}

function objectText(element: XmlElement, options: MappingOptions): string {
  if (element.children.length === 0 && element.attributes.length === 0) return '{}';
  const text = contentText(element, options);
  return text.startsWith('{') ? text : `{"$":${text}}`;
}

/** A single item stands for itself, as in the original. */
function arrayText(array: XmlElement, options: MappingOptions): string {
  const items = childElements(array);
  const [only] = items;
  return items.length === 1 && only ? contentText(only, options) : itemsText(array, options);
}

function itemsText(array: XmlElement, options: MappingOptions): string {
  return `[${childElements(array)
    .map((item) => contentText(item, options))
    .join(',')}]`;
}

function holdsOnlyItems(element: XmlElement): boolean {
  return childElements(element).every((child) => child.local === wrapperNames.element);
}

function memberText(element: XmlElement, options: MappingOptions): string {
  return `${JSON.stringify(nameOf(element, options))}:${contentText(element, options)}`;
}

function contentText(element: XmlElement, options: MappingOptions): string {
  return (options.lossless ? markedText(element, options) : undefined) ?? unmarkedText(element, options);
}

/** What an element says that is marked; undefined without a mark, or where the content was changed to something else. */
function markedText(element: XmlElement, options: MappingOptions): string | undefined {
  const type = markOf(element, 'type');
  if (type === undefined) return undefined;
  const [first, second] = childElements(element);
  if (type === 'object')
    return `{${[...attributeMembers(element, options), ...ownMembers(element, options)].join(',')}}`;
  if (type === 'array') return first && !second ? itemsText(first, options) : undefined;
  if (first) return undefined;
  const text = ownText(element);
  switch (type) {
    case 'string':
      return JSON.stringify(text);
    case 'literal':
      return stringifyJson(parseJson(text));
    case 'null':
      return text === '' ? 'null' : undefined;
    default:
      return text === 'true' || text === 'false' || isJsonNumber(text) ? text : undefined;
  }
}

function ownMembers(element: XmlElement, options: MappingOptions): string[] {
  const { text, children } = partsOf(element, options);
  const members = childMembers(children, options);
  return text === '' ? members : [`"$":${primitiveText(text, options)}`, ...members];
}

function unmarkedText(element: XmlElement, options: MappingOptions): string {
  if (options.nil && isNil(element)) return 'null';
  const inner = onlyArray(element);
  if (inner) return arrayText(inner, options);
  const head = attributeMembers(element, options);
  const { text, children } = partsOf(element, options);
  if (head.length === 0 && children.length === 0) return textOrEmpty(text, options);
  if (text !== '') head.push(`"$":${primitiveText(text, options)}`);
  return `{${[...head, ...childMembers(children, options)].join(',')}}`;
}

/** The `jsonArray` that is all there is in the element: an array without a name of its own. */
function onlyArray(element: XmlElement): XmlElement | undefined {
  const [first, ...rest] = childElements(element);
  if (first?.local !== wrapperNames.array || rest.length > 0 || element.attributes.length > 0) return undefined;
  return holdsOnlyItems(first) && first.children.length > 0 ? first : undefined;
}

function isNil(element: XmlElement): boolean {
  return element.attributes.some(
    ({ local, uri, value }) => local === 'nil' && value === 'true' && (uri === schemaInstance || uri === ''),
  );
}

function attributeMembers(element: XmlElement, options: MappingOptions): string[] {
  const members: string[] = [];
  const separator = options.namespaceSeparator ?? '_';
  if (options.preserveNamespace && options.namespaceDeclarations) {
    for (const { prefix, uri } of element.declarations) {
      if (options.lossless && uri === losslessNamespace) continue;
      const name = prefix === '' ? '@xmlns' : `@xmlns${separator}${prefix}`;
      members.push(`${JSON.stringify(name)}:${JSON.stringify(uri)}`);
    }
  }
  for (const attribute of element.attributes) {
    if (options.lossless && attribute.uri === losslessNamespace) continue;
    members.push(`${JSON.stringify(`@${nameOf(attribute, options)}`)}:${JSON.stringify(attribute.value)}`);
  }
  return members;
}

function nameOf(node: XmlElement | XmlAttribute, options: MappingOptions): string {
  const name = options.lossless ? fromLosslessName(node.local) : toMemberName(node.local);
  if (!options.preserveNamespace || node.prefix === '') return name;
  return `${node.prefix}${options.namespaceSeparator ?? '_'}${name}`;
}

interface Parts {
  readonly text: string;
  /** Child elements, and `xml-multiple` instructions where they count. */
  readonly children: readonly XmlNode[];
}

function partsOf(element: XmlElement, options: MappingOptions): Parts {
  let text = '';
  let hasElement = false;
  const children: XmlNode[] = [];
  const isBlank = (part: string): boolean => !/[^ \t\r\n]/.test(part);
  for (const child of element.children) {
    if (child.kind === 'element') {
      hasElement = true;
      children.push(child);
    } else if (child.kind === 'instruction') {
      if (child.target === 'xml-multiple' && options.readMultiple !== false) children.push(child);
    } else if (child.kind === 'text') {
      if (hasElement && !isBlank(child.value)) {
        throw new JsonMappingError(
          `the element "${element.name}" has text between elements, which JSON cannot express`,
        );
      }
      if (!hasElement) text += child.value;
    }
  }
  const keepsBlanks = options.preserveSpaces && !hasElement;
  return { text: isBlank(text) && !keepsBlanks ? '' : text, children };
}

function childMembers(children: readonly XmlNode[], options: MappingOptions): string[] {
  const members: string[] = [];
  let multiple: string | undefined;
  for (let index = 0; index < children.length; index++) {
    const child = children[index];
    if (child?.kind === 'instruction') {
      if (multiple !== undefined) members.push(`${JSON.stringify(multiple)}:[]`);
      multiple = child.value.trim();
    } else if (child?.kind === 'element') {
      const name = nameOf(child, options);
      const array = options.lossless ? markOf(child, 'array') : undefined;
      const isMultiple =
        array !== undefined || (multiple !== undefined && (multiple === child.local || multiple === name));
      if (multiple !== undefined && !isMultiple) members.push(`${JSON.stringify(multiple)}:[]`);
      multiple = undefined;
      const items = array === 'empty' && child.children.length === 0 ? [] : [contentText(child, options)];
      for (let next = children[index + 1]; isNamed(next, name, options); next = children[index + 1]) {
        if (options.autoArray === false && !isMultiple) break;
        items.push(contentText(next, options));
        index++;
      }
      const value = items.length > 1 || isMultiple ? `[${items.join(',')}]` : (items[0] ?? '');
      members.push(`${JSON.stringify(name)}:${value}`);
    }
  }
  if (multiple !== undefined) members.push(`${JSON.stringify(multiple)}:[]`);
  return members;
}

function isNamed(node: XmlNode | undefined, name: string, options: MappingOptions): node is XmlElement {
  return node?.kind === 'element' && nameOf(node, options) === name;
}

function textOrEmpty(text: string, options: MappingOptions): string {
  if (text !== '') return primitiveText(text, options);
  return options.nullForEmptyElement === false ? '""' : 'null';
}
