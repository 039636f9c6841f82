/** A namespace declared on an element as it was written; the prefix is empty for the default namespace. */
export interface NamespaceDeclaration {
  readonly prefix: string;
  readonly uri: string;
}

export interface XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  value: string;
}

export type XmlNode = XmlElement | XmlText | XmlComment | XmlInstruction;

/** Reads a document further, a piece at a time. @throws the reader's error for what is not well-formed */
export interface PendingContent {
  advance(): void;
}

/** An element: its own names and declarations as written, children in document order, and a link to its parent. */
export class XmlElement {
  readonly kind = 'element';
  local: string;
  prefix: string;
  uri: string;
  attributes: XmlAttribute[] = [];
  declarations: NamespaceDeclaration[] = [];
  parent: XmlElement | null = null;
  /** What reads the rest of this element; null when its end tag was read. */
  pending: PendingContent | null = null;
  #children: XmlNode[] = [];
  /** Index of `<` in the source text; -1 when the element was not parsed with positions. */
  offset = -1;

  constructor(local: string, uri = '', prefix = '') {
    this.local = local;
    this.uri = uri;
    this.prefix = prefix;
  }

  /** The children in document order; what is still unread of them is read first. */
  get children(): XmlNode[] {
    while (this.pending) this.pending.advance();
    return this.#children;
  }

  set children(children: XmlNode[]) {
    while (this.pending) this.pending.advance();
    this.#children = children;
  }

  /** The child at `index`, reading no further than needed; undefined behind the last one. */
  childAt(index: number): XmlNode | undefined {
    while (this.pending && this.#children.length <= index) this.pending.advance();
    return this.#children[index];
  }

  /** Adds a child that was just read or made, without looking at those before it. */
  append(child: XmlNode): void {
    child.parent = this;
    this.#children.push(child);
  }

  /** The name as written: `prefix:local` or `local`. */
  get name(): string {
    return this.prefix === '' ? this.local : `${this.prefix}:${this.local}`;
  }
}

export class XmlText {
  readonly kind = 'text';
  value: string;
  /** True when the text stood in a CDATA section. */
  readonly cdata: boolean;
  parent: XmlElement | null = null;

  constructor(value: string, cdata = false) {
    this.value = value;
    this.cdata = cdata;
  }
}

export class XmlComment {
  readonly kind = 'comment';
  readonly value: string;
  parent: XmlElement | null = null;

  constructor(value: string) {
    this.value = value;
  }
}

export class XmlInstruction {
  readonly kind = 'instruction';
  readonly target: string;
  readonly value: string;
  parent: XmlElement | null = null;

  constructor(target: string, value: string) {
    this.target = target;
    this.value = value;
  }
}

/** A parsed document: the root element with the comments and instructions around it. */
export interface XmlDocument {
  readonly root: XmlElement;
  readonly children: readonly XmlNode[];
  /** The text that was parsed, kept only when positions were asked for. */
  readonly source: string;
  /** The name under which messages speak of the document. */
  readonly file: string;
}

/** Appends `child` to `parent`, taking it out of the place where it stood. */
export function appendChild(parent: XmlElement, child: XmlNode): void {
  detach(child);
  child.parent = parent;
  parent.children.push(child);
}

/** Puts `nodes` where `reference` stands, which stays; they come before it, or after it when `after` is set. */
export function insertBeside(reference: XmlNode, nodes: readonly XmlNode[], side: 'before' | 'after'): void {
  const parent = reference.parent;
  if (!parent) return;
  for (const node of nodes) detach(node);
  const index = parent.children.indexOf(reference) + (side === 'after' ? 1 : 0);
  parent.children.splice(index, 0, ...nodes);
  for (const node of nodes) node.parent = parent;
}

/** Takes `node` out of its parent; nothing happens to a node without one. */
export function detach(node: XmlNode): void {
  const parent = node.parent;
  if (!parent) return;
  parent.children.splice(parent.children.indexOf(node), 1);
  node.parent = null;
}

/** A deep copy without a parent. */
export function cloneNode<T extends XmlNode>(node: T): T;
export function cloneNode(node: XmlNode): XmlNode {
  switch (node.kind) {
    case 'text':
      return new XmlText(node.value, node.cdata);
    case 'comment':
      return new XmlComment(node.value);
    case 'instruction':
      return new XmlInstruction(node.target, node.value);
    case 'element': {
      const copy = new XmlElement(node.local, node.uri, node.prefix);
      copy.attributes = node.attributes.map((attribute) => ({ ...attribute }));
      copy.declarations = node.declarations.slice();
      copy.offset = node.offset;
      for (const child of node.children) {
        const childCopy = cloneNode(child);
        childCopy.parent = copy;
        copy.children.push(childCopy);
      }
      return copy;
    }
  }
}

/** The value of an attribute without a namespace, or undefined. */
export function getAttribute(element: XmlElement, local: string): string | undefined {
  for (const attribute of element.attributes) {
    if (attribute.local === local && attribute.uri === '') return attribute.value;
  }
  return undefined;
}

/** The element children in document order. */
export function childElements(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => child.kind === 'element');
}

/** The first element child with the local name, of the namespace when one is given. */
export function firstChild(element: XmlElement, local: string, uri?: string): XmlElement | undefined {
  for (let index = 0; ; index++) {
    const child = element.childAt(index);
    if (!child) return undefined;
    if (child.kind === 'element' && child.local === local && (uri === undefined || child.uri === uri)) return child;
  }
}

/** The first element child of any name. */
export function firstElement(element: XmlElement): XmlElement | undefined {
  for (let index = 0; ; index++) {
    const child = element.childAt(index);
    if (!child || child.kind === 'element') return child;
  }
}

/** The concatenated direct text children, as Axiom's `getText`. */
export function ownText(element: XmlElement): string {
  let text = '';
  for (const child of element.children) if (child.kind === 'text') text += child.value;
  return text;
}

/** The XPath string value: all text below the node in document order. */
export function deepText(node: XmlNode): string {
  if (node.kind === 'text' || node.kind === 'comment' || node.kind === 'instruction') return node.value;
  let text = '';
  for (const child of node.children) {
    if (child.kind === 'text') text += child.value;
    else if (child.kind === 'element') text += deepText(child);
  }
  return text;
}

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

/** The namespace bound to `prefix` at `element`, or undefined; the empty prefix is bound to no namespace by default. */
export function lookupNamespace(element: XmlElement, prefix: string): string | undefined {
  for (let current: XmlElement | null = element; current; current = current.parent) {
    for (const declaration of current.declarations) if (declaration.prefix === prefix) return declaration.uri;
  }
  if (prefix === 'xml') return xmlNamespace;
  return prefix === '' ? '' : undefined;
}

/** All prefixes in scope at `element` with their namespaces, the innermost declaration winning. */
export function namespacesInScope(element: XmlElement): Map<string, string> {
  const scope = new Map<string, string>();
  for (let current: XmlElement | null = element; current; current = current.parent) {
    for (const { prefix, uri } of current.declarations) if (!scope.has(prefix)) scope.set(prefix, uri);
  }
  return scope;
}
