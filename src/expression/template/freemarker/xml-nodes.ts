import { childElements, serializeXml, XmlText, type XmlAttribute, type XmlElement, type XmlNode } from '#xml';
import { attributesMarkup, endTag, startTag } from './xml-markup.ts';
import type { Value } from './values.ts';

/** An attribute with the element that it belongs to. */
export interface AttributeNode {
  readonly kind: 'attribute';
  readonly attribute: XmlAttribute;
  readonly parent: XmlElement;
}

/** The document around the payload's element. */
export interface DocumentNode {
  readonly kind: 'document';
  readonly root: XmlElement;
  /** Children of elements as they were once asked for. */
  readonly children: Map<XmlElement, readonly DomNode[]>;
}

export type DomNode = XmlNode | AttributeNode | DocumentNode;

/**
 * XML as FreeMarker sees it. A single node is a string, a sequence of itself and a hash of its children; a list of
 * nodes, which a query gives when it finds none or several, is a sequence and a hash.
 */
export class XmlNodes {
  readonly nodes: readonly DomNode[];
  readonly document: DocumentNode;
  readonly isSingle: boolean;

  constructor(nodes: readonly DomNode[], document: DocumentNode, isSingle: boolean) {
    this.nodes = nodes;
    this.document = document;
    this.isSingle = isSingle;
  }

  /** The model of a document with this root. */
  static ofDocument(root: XmlElement): XmlNodes {
    const document: DocumentNode = { kind: 'document', root, children: new Map() };
    return new XmlNodes([document], document, true);
  }

  get size(): number {
    return this.nodes.length;
  }

  /** The node when there is exactly one and the model stands for it. */
  get node(): DomNode | undefined {
    return this.isSingle ? this.nodes[0] : undefined;
  }

  at(index: number): Value {
    const node = index < 0 ? undefined : this.nodes[index];
    return node && this.of(node);
  }

  *[Symbol.iterator](): Generator<Value> {
    for (const node of this.nodes) yield this.of(node);
  }

  of(node: DomNode): XmlNodes {
    return new XmlNodes([node], this.document, true);
  }

  list(nodes: readonly DomNode[]): XmlNodes {
    return new XmlNodes(nodes, this.document, false);
  }

  /** The text of a single node; undefined for documents and for elements that have elements within. */
  text(): string | undefined {
    const node = this.node;
    if (!node || node.kind === 'document') return undefined;
    if (node.kind === 'attribute') return node.attribute.value;
    if (node.kind !== 'element') return node.value;
    return childElements(node).length > 0 ? undefined : contentText(node);
  }

  describe(): string {
    const node = this.node;
    if (!node) return this.size === 0 ? 'no XML node at all' : `a list of ${this.size} XML nodes`;
    if (node.kind !== 'element') return `an XML ${node.kind}`;
    const [child] = childElements(node);
    return child
      ? `the XML element <${node.name}> with an element <${child.name}> within`
      : `the XML element <${node.name}>`;
  }

  /** What a key finds below or about the nodes. `prefixes` are those of the header's `ns_prefixes`. */
  get(key: string, prefixes: ReadonlyMap<string, string>): Value {
    const single = this.node;
    if (single) return this.#ofNode(single, key, prefixes);
    const markup = markups[key];
    if (markup) return this.nodes.map((node) => markup(node)).join('');
    const found: DomNode[] = [];
    for (const node of this.nodes) {
      const part = this.#ofNode(node, key, prefixes);
      if (part instanceof XmlNodes) found.push(...part.nodes);
      else if (this.size === 1) return part;
    }
    return found.length === 1 ? this.of(found[0] ?? this.document) : this.list(found);
  }

  /** All elements below with this name, however deep. */
  descendants(key: string, prefixes: ReadonlyMap<string, string>): XmlNodes {
    const matches = this.nodes
      .flatMap((node) => allElements(node))
      .filter((element) => isNamed(element, key, prefixes));
    return matches.length === 1 ? this.of(matches[0] ?? this.document) : this.list(matches);
  }

  #ofNode(node: DomNode, key: string, prefixes: ReadonlyMap<string, string>): Value {
    if (key === '*') return this.list(elementsIn(node));
    if (key === '**') return this.list(allElements(node));
    if (key === '@*' || key === '@@') return this.list(attributesOf(node));
    const markup = markups[key];
    if (markup) return markup(node);
    if (key === '@@previous_sibling_element' || key === '@@next_sibling_element') {
      const beside = elementBeside(node, key === '@@next_sibling_element' ? 1 : -1);
      return beside ? this.of(beside) : this.list([]);
    }
    if (key.startsWith('@@')) return undefined;
    if (key.startsWith('@')) {
      const attribute = attributesOf(node).find((candidate) =>
        isNamed(candidate.attribute, key.slice(1), prefixes, true),
      );
      return attribute ? this.of(attribute) : this.list([]);
    }
    const found = elementsIn(node).filter((element) => isNamed(element, key, prefixes));
    return found.length === 1 ? this.of(found[0] ?? this.document) : this.list(found);
  }
}

/** Keys about a node that yield text. */
const markups: Readonly<Record<string, (node: DomNode) => string | undefined>> = {
  '@@markup': (node) => markupOf(node),
  '@@nested_markup': (node) =>
    node.kind === 'element' ? node.children.map((child) => serializeXml(child)).join('') : '',
  '@@text': (node) => allText(node),
  '@@qname': (node) => nodeName(node),
  '@@local_name': (node) => localName(node),
  '@@namespace': (node) => nodeNamespace(node),
  '@@start_tag': (node) => (node.kind === 'element' ? startTag(node) : undefined),
  '@@end_tag': (node) => (node.kind === 'element' ? endTag(node) : undefined),
  '@@attributes_markup': (node) => (node.kind === 'element' ? attributesMarkup(node) : undefined),
};

function markupOf(node: DomNode): string {
  if (node.kind === 'document') return serializeXml(node.root);
  return node.kind === 'attribute' ? node.attribute.value : serializeXml(node);
}

/** The children of a node: elements and texts; comments and instructions do not exist for templates. */
export function childrenOf(node: DomNode, document: DocumentNode): readonly DomNode[] {
  if (node.kind === 'document') return [node.root];
  if (node.kind !== 'element') return [];
  const known = document.children.get(node);
  if (known) return known;
  const found: (XmlElement | XmlText)[] = [];
  for (const child of node.children) {
    const before = found.at(-1);
    if (child.kind === 'text' && before?.kind === 'text') {
      const joined = new XmlText(before.value + child.value);
      joined.parent = node;
      found[found.length - 1] = joined;
    } else if (child.kind === 'element' || child.kind === 'text') found.push(child);
  }
  document.children.set(node, found);
  return found;
}

/** The node around another one, the document being around its root. */
export function parentOf(node: DomNode, document: DocumentNode): DomNode | undefined {
  if (node.kind === 'document') return undefined;
  return node === document.root ? document : (node.parent ?? undefined);
}

function nodeName(node: DomNode): string | undefined {
  switch (node.kind) {
    case 'element':
      return node.name;
    case 'attribute':
      return node.attribute.prefix === '' ? node.attribute.local : `${node.attribute.prefix}:${node.attribute.local}`;
    case 'document':
      return '@document';
    case 'text':
      return '@text';
    case 'comment':
      return '@comment';
    case 'instruction':
      return `@pi$${node.target}`;
  }
}

/** The name without prefix, as `?node_name` gives it. */
export function localName(node: DomNode): string {
  if (node.kind === 'element') return node.local;
  return node.kind === 'attribute' ? node.attribute.local : (nodeName(node) ?? '');
}

export function nodeNamespace(node: DomNode): string | undefined {
  if (node.kind === 'element') return node.uri;
  return node.kind === 'attribute' ? node.attribute.uri : undefined;
}

function elementsIn(node: DomNode): readonly XmlElement[] {
  if (node.kind === 'document') return [node.root];
  return node.kind === 'element' ? childElements(node) : [];
}

function allElements(node: DomNode): XmlElement[] {
  return elementsIn(node).flatMap((element) => [element, ...allElements(element)]);
}

function attributesOf(node: DomNode): readonly AttributeNode[] {
  if (node.kind !== 'element') return [];
  return node.attributes.map((attribute) => ({ kind: 'attribute', attribute, parent: node }));
}

function elementBeside(node: DomNode, step: 1 | -1): XmlElement | undefined {
  if (node.kind === 'document' || node.kind === 'attribute' || !node.parent) return undefined;
  const siblings: readonly XmlNode[] = node.parent.children;
  for (let index = siblings.indexOf(node) + step; ; index += step) {
    const sibling = siblings[index];
    if (!sibling || sibling.kind === 'element') return sibling;
    if (sibling.kind === 'text' && sibling.value.trim() !== '') return undefined;
  }
}

function contentText(element: XmlElement): string {
  let text = '';
  for (const child of element.children) if (child.kind === 'text') text += child.value;
  return text;
}

function allText(node: DomNode): string {
  if (node.kind === 'attribute') return node.attribute.value;
  if (node.kind === 'document') return allText(node.root);
  if (node.kind === 'text') return node.value;
  return node.kind === 'element' ? node.children.map((child) => allText(child)).join('') : '';
}

/** Without a prefix only what has no namespace is meant, or what is in the header's default namespace `D`. */
function isNamed(
  named: { readonly local: string; readonly uri: string },
  key: string,
  ...[prefixes, isAttribute]: readonly [prefixes: ReadonlyMap<string, string>, isAttribute?: boolean]
): boolean {
  const colon = key.indexOf(':');
  const local = colon < 0 ? key : key.slice(colon + 1);
  if (local !== named.local) return false;
  const defaultNamespace = isAttribute ? undefined : prefixes.get('D');
  if (colon < 0) return named.uri === (defaultNamespace ?? '');
  const prefix = key.slice(0, colon);
  if (prefix === 'N') return named.uri === '';
  return named.uri !== '' && prefixes.get(prefix) === named.uri;
}
