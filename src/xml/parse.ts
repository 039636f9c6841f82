import { excerptOf, MillraceError, type Position } from '#errors';
import { XmlReader } from './reader.ts';
import type { XmlDocument, XmlElement } from './tree.ts';

export interface XmlParseOptions {
  /** Name for messages; `payload` when absent. */
  readonly file?: string;
  /** Keeps the source text and each element's offset, for artifacts; off for messages. */
  readonly positions?: boolean;
  readonly maxDepth?: number;
  readonly maxAttributes?: number;
  /** Passes over a document type declaration that has neither entities nor an external part. */
  readonly allowDtd?: boolean;
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
 * Parses a whole document. DTDs are refused unless `allowDtd` is set, entities other than the predefined ones are errors, and depth, attribute
 * count and name length are bounded.
 *
 * @throws XmlError with line and column
 */
export function parseXml(source: string, options: XmlParseOptions = {}): XmlDocument {
  const reader = createReader(source, options);
  const root = reader.readRoot();
  reader.readAll();
  return { root, children: reader.top, source, file: options.file ?? 'payload' };
}

/**
 * The root element of a document of which no more is read than somebody looks at. What is wrong further down is raised
 * when the reading comes there.
 *
 * @param failure makes the error to raise of an `XmlError`
 */
export function parseXmlLazily(
  source: string,
  failure: (error: XmlError) => Error,
  options: XmlParseOptions = {},
): XmlElement {
  return createReader(source, options, failure).readRoot();
}

function createReader(
  source: string,
  options: XmlParseOptions,
  failure: (error: XmlError) => Error = (error) => error,
): XmlReader {
  const { file = 'payload', positions = false } = options;
  return new XmlReader(source, {
    positions,
    maxDepth: options.maxDepth ?? defaultLimits.maxDepth,
    maxAttributes: options.maxAttributes ?? defaultLimits.maxAttributes,
    maxNameLength: defaultLimits.maxNameLength,
    allowDtd: options.allowDtd ?? false,
    failure: (message, offset) => failure(new XmlError(message, lineAndColumn(source, file, offset), source)),
  });
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
  return lineAndColumn(document.source, document.file, offset);
}

function lineAndColumn(source: string, file: string, offset: number): Position {
  const lines = source.slice(0, offset).split(/\r\n|\n|\r/);
  return { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
