import { XmlComment, XmlElement, XmlInstruction, XmlText, type XmlAttribute, type XmlNode } from '#xml';

export const nodeTypes = { element: 1, attribute: 2, text: 3, instruction: 7, comment: 8, document: 9 } as const;
type NodeType = (typeof nodeTypes)[keyof typeof nodeTypes];

/** A node as the engine looks at it: a view of one of ours, or one that a query constructed. */
export interface DomNode {
  readonly nodeType: NodeType;
  readonly nodeName: string;
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly prefix: string | null;
  /** Text of texts, comments and instructions, value of attributes. */
  data: string;
  readonly target: string;
  parent: DomNode | null;
  /** Place among the children of the parent; kept right for views only. */
  index: number;
  children: DomNode[] | undefined;
  attributes: DomNode[] | undefined;
  /** What the node is a view of. */
  readonly source: XmlNode | XmlAttribute | undefined;
  /** DOM spelling of `data` for attributes. */
  readonly value: string;
  /** Joins neighbouring texts of a constructed node. */
  normalize(): void;
}

interface NameParts {
  readonly local: string;
  readonly prefix: string;
  readonly uri: string;
}

const nameless: NameParts = { local: '', prefix: '', uri: '' };

/** Makes a node; views give their source, constructed nodes none. */
export function createDomNode(
  nodeType: NodeType,
  { name = nameless, data = '', source }: { name?: NameParts; data?: string; source?: XmlNode | XmlAttribute },
): DomNode {
  return {
    nodeType,
    nodeName: name.prefix === '' ? name.local : `${name.prefix}:${name.local}`,
    localName: name.local,
    namespaceURI: name.uri === '' ? null : name.uri,
    prefix: name.prefix === '' ? null : name.prefix,
    data,
    target: nodeType === nodeTypes.instruction ? name.local : '',
    parent: null,
    index: -1,
    children: undefined,
    attributes: undefined,
    source,
    get value() {
      return this.data;
    },
    normalize() {
      if (this.source === undefined && this.children) this.children = joinTexts(this.children);
    },
  };
}

function joinTexts(children: readonly DomNode[]): DomNode[] {
  const joined: DomNode[] = [];
  for (const child of children) {
    const before = joined.at(-1);
    if (child.nodeType === nodeTypes.text && before?.nodeType === nodeTypes.text) before.data += child.data;
    else if (child.nodeType !== nodeTypes.text || child.data !== '') joined.push(child);
    child.normalize();
  }
  for (const [index, child] of joined.entries()) child.index = index;
  return joined;
}

/** The name parts of a qualified name. */
export function namePartsOf(uri: string | null, qualified: string): NameParts {
  const colon = qualified.indexOf(':');
  const prefix = colon < 0 ? '' : qualified.slice(0, colon);
  return { local: qualified.slice(colon + 1), prefix, uri: uri ?? '' };
}

/** Views of one or more trees, each made when the engine gets to it and once only, so that nodes can be compared. */
export class DomViews {
  readonly #views = new Map<XmlNode, DomNode>();

  /** The view of a node, its document above it. */
  of(node: XmlNode): DomNode {
    const known = this.#views.get(node);
    if (known) return known;
    if (node.parent) {
      for (const child of childrenOf(this.of(node.parent), this)) if (child.source === node) return child;
    }
    const view = this.#create(node);
    if (node instanceof XmlElement) {
      const document = createDomNode(nodeTypes.document, {});
      document.children = [view];
      view.parent = document;
      view.index = 0;
    }
    return view;
  }

  /** Views of the children of an element. */
  children(element: XmlElement, parent: DomNode): DomNode[] {
    return element.children.map((child, index) => {
      const view = this.#create(child);
      view.parent = parent;
      view.index = index;
      return view;
    });
  }

  #create(node: XmlNode): DomNode {
    const view = createView(node);
    this.#views.set(node, view);
    return view;
  }
}

function createView(node: XmlNode): DomNode {
  if (node instanceof XmlElement) return createDomNode(nodeTypes.element, { name: node, source: node });
  if (node instanceof XmlText) return createDomNode(nodeTypes.text, { data: node.value, source: node });
  if (node instanceof XmlComment) return createDomNode(nodeTypes.comment, { data: node.value, source: node });
  const name = { local: node.target, prefix: '', uri: '' };
  return createDomNode(nodeTypes.instruction, { name, data: node.value, source: node });
}

/** The children of a node; views of ours are made now. */
export function childrenOf(node: DomNode, views: DomViews): DomNode[] {
  node.children ??= node.source instanceof XmlElement ? views.children(node.source, node) : [];
  return node.children;
}

/** The attributes of an element. */
export function attributesOf(node: DomNode): DomNode[] {
  node.attributes ??=
    node.source instanceof XmlElement
      ? node.source.attributes.map((attribute) => {
          const view = createDomNode(nodeTypes.attribute, {
            name: attribute,
            data: attribute.value,
            source: attribute,
          });
          view.parent = node;
          return view;
        })
      : [];
  return node.attributes;
}

/** A node of our own for a constructed one; the source itself for a view. Documents give their root element. */
export function toXmlNode(node: DomNode): XmlNode | undefined {
  const { source } = node;
  if (source && 'kind' in source) return source;
  switch (node.nodeType) {
    case nodeTypes.element: {
      const element = new XmlElement(node.localName, node.namespaceURI ?? '', node.prefix ?? '');
      for (const { localName, prefix, namespaceURI, data } of attributesOf(node)) {
        const isDeclaration = namespaceURI === 'http://www.w3.org/2000/xmlns/';
        if (isDeclaration) element.declarations.push({ prefix: prefix === null ? '' : localName, uri: data });
        else element.attributes.push({ prefix: prefix ?? '', local: localName, uri: namespaceURI ?? '', value: data });
      }
      for (const child of node.children ?? []) {
        const own = toXmlNode(child);
        if (!own) continue;
        own.parent = element;
        element.children.push(own);
      }
      return element;
    }
    case nodeTypes.text:
      return new XmlText(node.data);
    case nodeTypes.comment:
      return new XmlComment(node.data);
    case nodeTypes.instruction:
      return new XmlInstruction(node.target, node.data);
    case nodeTypes.document:
      return node.children?.map((child) => toXmlNode(child)).find((child) => child instanceof XmlElement);
    case nodeTypes.attribute:
      return undefined;
  }
}
