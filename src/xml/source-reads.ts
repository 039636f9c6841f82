import type { XmlDocument, XmlElement } from './tree.ts';

/** What has been asked of one element while its document was read. */
export interface ElementReads {
  readonly attributes: Set<string>;
  readonly children: Set<string>;
  /** Attributes that nobody reads have been reported already. */
  knowsAttributes: boolean;
  /** All its children were looked at, or those that nobody reads have been reported already. */
  knowsChildren: boolean;
}

const documents = new WeakMap<XmlDocument, Map<XmlElement, ElementReads>>();

/** What has been asked of an element; a question makes it one that is read. */
export function readsOf(document: XmlDocument, element: XmlElement): ElementReads {
  let elements = documents.get(document);
  if (!elements) documents.set(document, (elements = new Map()));
  let reads = elements.get(element);
  if (!reads) {
    reads = { attributes: new Set(), children: new Set(), knowsAttributes: false, knowsChildren: false };
    elements.set(element, reads);
  }
  return reads;
}

/** The same for the last time; undefined for an element of which nothing was asked, such as one of a payload. */
export function takeReads(document: XmlDocument, element: XmlElement): ElementReads | undefined {
  const elements = documents.get(document);
  const reads = elements?.get(element);
  elements?.delete(element);
  return reads;
}
