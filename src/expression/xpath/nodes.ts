import { deepText, lookupNamespace, namespacesInScope, type XmlAttribute, type XmlElement, type XmlNode } from '#xml';

/** The document node above a root element, which the tree itself does not have. */
export interface XPathDocument {
  readonly kind: 'document';
  readonly root: XmlElement;
}

export interface XPathAttribute {
  readonly kind: 'attribute';
  readonly owner: XmlElement;
  readonly attribute: XmlAttribute;
}

export interface XPathNamespace {
  readonly kind: 'namespace';
  readonly owner: XmlElement;
  readonly prefix: string;
  readonly uri: string;
}

export type XPathNode = XmlNode | XPathDocument | XPathAttribute | XPathNamespace;

/** Called for each node; true stops the walk. */
export type Visit = (node: XPathNode) => boolean;

/** Nodes that exist only while one expression is evaluated, each made once so that it can be compared. */
export class NodeCache {
  readonly #documents = new Map<XmlElement, XPathDocument>();
  readonly #attributes = new Map<XmlAttribute, XPathAttribute>();
  readonly #namespaces = new Map<XmlElement, readonly XPathNamespace[]>();

  documentOf(node: XPathNode): XPathDocument {
    if (node.kind === 'document') return node;
    const root = rootOf(node);
    let document = this.#documents.get(root);
    if (!document) {
      document = { kind: 'document', root };
      this.#documents.set(root, document);
    }
    return document;
  }

  attribute(owner: XmlElement, attribute: XmlAttribute): XPathAttribute {
    let node = this.#attributes.get(attribute);
    if (!node) {
      node = { kind: 'attribute', owner, attribute };
      this.#attributes.set(attribute, node);
    }
    return node;
  }

  namespaces(owner: XmlElement): readonly XPathNamespace[] {
    let nodes = this.#namespaces.get(owner);
    if (!nodes) {
      const inScope = namespacesInScope(owner);
      inScope.set('xml', lookupNamespace(owner, 'xml') ?? '');
      if (inScope.get('') === '') inScope.delete('');
      nodes = [...inScope].map(([prefix, uri]): XPathNamespace => ({ kind: 'namespace', owner, prefix, uri }));
      this.#namespaces.set(owner, nodes);
    }
    return nodes;
  }

  parentOf(node: XPathNode): XPathNode | null {
    if (node.kind === 'document') return null;
    if (node.kind === 'attribute' || node.kind === 'namespace') return node.owner;
    if (node.parent) return node.parent;
    return node.kind === 'element' ? this.documentOf(node) : null;
  }
}

function rootOf(node: Exclude<XPathNode, XPathDocument>): XmlElement {
  let element = node.kind === 'attribute' || node.kind === 'namespace' ? node.owner : node;
  while (element.parent) element = element.parent;
  if (element.kind !== 'element') throw new Error('a node outside of any element has no document');
  return element;
}

/** The children of a node in document order. */
export function childrenOf(node: XPathNode): readonly XmlNode[] {
  if (node.kind === 'element') return node.children;
  return node.kind === 'document' ? [node.root] : noChildren;
}

const noChildren: readonly XmlNode[] = [];

/** Visits the children of a node in document order, reading no more of the document than is visited. */
export function visitChildren(node: XPathNode, visit: (child: XmlNode) => boolean): boolean {
  if (node.kind === 'document') return visit(node.root);
  if (node.kind !== 'element') return false;
  for (let index = 0; ; index++) {
    const child = node.childAt(index);
    if (!child) return false;
    if (visit(child)) return true;
  }
}

/** The string-value of a node (XPath 1.0, section 5). */
export function stringValue(node: XPathNode): string {
  switch (node.kind) {
    case 'document':
      return deepText(node.root);
    case 'attribute':
      return node.attribute.value;
    case 'namespace':
      return node.uri;
    default:
      return deepText(node);
  }
}

/** The parts of a node's name; empty where it has none. */
export function nameOf(node: XPathNode): { prefix: string; local: string; uri: string } {
  switch (node.kind) {
    case 'element':
      return node;
    case 'attribute':
      return node.attribute;
    case 'namespace':
      return { prefix: '', local: node.prefix, uri: '' };
    case 'instruction':
      return { prefix: '', local: node.target, uri: '' };
    default:
      return { prefix: '', local: '', uri: '' };
  }
}

/** Puts nodes into document order without duplicates; trees follow each other in the order of their first node. */
export function inDocumentOrder(nodes: readonly XPathNode[], cache: NodeCache): XPathNode[] {
  const wanted = new Set(nodes);
  if (wanted.size < 2) return [...wanted];
  const documents = new Set<XPathDocument>();
  const owners = new Set<XmlElement>();
  const sorted: XPathNode[] = [];
  for (const node of wanted) {
    if (node.kind !== 'document' && isLoose(node)) sorted.push(node);
    else documents.add(cache.documentOf(node));
    if (node.kind === 'attribute' || node.kind === 'namespace') owners.add(node.owner);
  }
  const collect = (node: XPathNode): boolean => {
    if (wanted.has(node)) sorted.push(node);
    if (node.kind === 'element' && owners.has(node)) {
      for (const namespace of cache.namespaces(node)) if (wanted.has(namespace)) sorted.push(namespace);
      for (const attribute of node.attributes) {
        const attributeNode = cache.attribute(node, attribute);
        if (wanted.has(attributeNode)) sorted.push(attributeNode);
      }
    }
    if (sorted.length === wanted.size) return true;
    return childrenOf(node).some((child) => collect(child));
  };
  for (const document of documents) if (collect(document)) break;
  return sorted;
}

function isLoose(node: Exclude<XPathNode, XPathDocument>): boolean {
  return node.kind !== 'element' && node.kind !== 'attribute' && node.kind !== 'namespace' && node.parent === null;
}
