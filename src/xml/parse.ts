import { SaxesParser } from 'saxes';
import { excerptOf, MillraceError, type Position } from '#errors';
import { XmlComment, XmlElement, XmlInstruction, XmlText, type XmlDocument, type XmlNode } from './tree.ts';

export interface XmlParseOptions {
  /** Name for messages; `payload` when absent. */
  readonly file?: string;
  /** Keeps the source text and each element's offset, for artifacts; off for messages. */
  readonly positions?: boolean;
  readonly maxDepth?: number;
  readonly maxAttributes?: number;
}

/** XML that is not well-formed, or beyond the limits; says where. */
export class XmlError extends MillraceError {
  readonly position: Position;
  readonly excerpt: string;

  constructor(message: string, position: Position, source: string) {
    super({ code: 'MR_XML_MALFORMED', status: 400, message });
    this.position = position;
    this.excerpt = excerptOf(source, position.line);
  }
}

const defaultLimits = { maxDepth: 256, maxAttributes: 256, maxNameLength: 1024 };

/**
 * Parses a whole document. DTDs are refused, entities other than the predefined ones are errors, and depth, attribute
 * count and name length are bounded.
 *
 * @throws XmlError with line and column
 */
export function parseXml(source: string, options: XmlParseOptions = {}): XmlDocument {
  const file = options.file ?? 'payload';
  const maxDepth = options.maxDepth ?? defaultLimits.maxDepth;
  const maxAttributes = options.maxAttributes ?? defaultLimits.maxAttributes;
  const parser = new SaxesParser({ xmlns: true, position: true });
  const top: XmlNode[] = [];
  let current: XmlElement | null = null;
  let root: XmlElement | null = null;
  let depth = 0;
  let offset = -1;

  const fail = (message: string): never => {
    throw new XmlError(message, { file, line: parser.line, column: parser.columnIndex + 1 }, source);
  };
  const add = (node: XmlNode): void => {
    if (current) {
      node.parent = current;
      current.children.push(node);
    } else if (node.kind !== 'text') {
      top.push(node);
    }
  };

  parser.on('error', (error) => fail(error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, '')));
  parser.on('doctype', () => fail('a document type declaration is not allowed'));
  parser.on('opentagstart', (tag) => {
    if (++depth > maxDepth) fail(`elements are nested deeper than ${maxDepth}`);
    if (tag.name.length > defaultLimits.maxNameLength) fail('an element name is too long');
    if (options.positions) offset = source.lastIndexOf('<', parser.position - 1);
  });
  parser.on('opentag', (tag) => {
    const element = new XmlElement(tag.local, tag.uri, tag.prefix);
    element.offset = offset;
    let count = 0;
    for (const name in tag.attributes) {
      const attribute = tag.attributes[name];
      if (!attribute) continue;
      if (++count > maxAttributes) fail(`an element has more than ${maxAttributes} attributes`);
      if (attribute.prefix === 'xmlns') element.declarations.push({ prefix: attribute.local, uri: attribute.value });
      else if (attribute.name === 'xmlns') element.declarations.push({ prefix: '', uri: attribute.value });
      else {
        const { prefix, local, uri, value } = attribute;
        element.attributes.push({ prefix, local, uri, value });
      }
    }
    add(element);
    if (!current) root = element;
    current = element;
  });
  parser.on('closetag', () => {
    depth--;
    current = current?.parent ?? null;
  });
  parser.on('text', (text) => add(new XmlText(text)));
  parser.on('cdata', (text) => add(new XmlText(text, true)));
  parser.on('comment', (text) => add(new XmlComment(text)));
  parser.on('processinginstruction', (instruction) => add(new XmlInstruction(instruction.target, instruction.body)));

  // A byte order mark that decoding left in place is not part of the document.
  parser.write(source.charCodeAt(0) === 0xfeff ? source.slice(1) : source).close();
  return { root: root ?? fail('the document has no root element'), children: top, source, file };
}

/** Where `element` starts in the source of its document; needs a document parsed with positions. */
export function positionOfElement(document: XmlDocument, element: XmlElement): Position {
  return positionAt(document, Math.max(0, element.offset));
}

/** Where the name of the attribute stands, or the element's start when it has no such attribute. */
export function positionOfAttribute(document: XmlDocument, element: XmlElement, attributeName: string): Position {
  const start = Math.max(0, element.offset);
  const attributes = /\s([^\s=<>"'/]+)\s*=\s*(?:"[^"]*"|'[^']*')/gy;
  attributes.lastIndex = start + 1 + element.name.length;
  for (let match = attributes.exec(document.source); match; match = attributes.exec(document.source)) {
    const name = match[1] ?? '';
    if (name === attributeName || name.endsWith(`:${attributeName}`)) {
      return positionAt(document, match.index + match[0].indexOf(name));
    }
    while (
      /\s/.test(document.source[attributes.lastIndex] ?? '') &&
      /\s/.test(document.source[attributes.lastIndex + 1] ?? '')
    ) {
      attributes.lastIndex++;
    }
  }
  return positionAt(document, start);
}

/** Line and column (from 1) of an offset into the source of a document. */
export function positionAt(document: XmlDocument, offset: number): Position {
  const before = document.source.slice(0, offset);
  const lines = before.split(/\r\n|\n|\r/);
  return { file: document.file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
