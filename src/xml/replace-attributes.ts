import type { XmlDocument, XmlElement } from './tree.ts';

/** Another value for an attribute of an element. */
export interface AttributeChange {
  readonly element: XmlElement;
  readonly attribute: string;
  readonly value: string;
}

/**
 * The source of a document, parsed with positions, with other values in some attributes; everything else keeps its
 * line. Changes come in document order.
 */
export function replaceAttributes({ source }: XmlDocument, changes: readonly AttributeChange[]): string {
  let text = '';
  let end = 0;
  for (const { element, attribute, value } of changes) {
    const found = new RegExp(`\\s${attribute}\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g');
    found.lastIndex = element.offset;
    const match = found.exec(source);
    if (!match) continue;
    text += `${source.slice(end, match.index)} ${attribute}="${value}"`;
    end = match.index + match[0].length;
  }
  return text + source.slice(end);
}
