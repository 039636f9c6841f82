/** An element as it travels between the message and an isolate: names as written, attributes, content. */
export type XmlTree = readonly [
  name: string,
  uri: string,
  attributes: readonly (readonly [name: string, value: string])[],
  children: readonly (XmlTree | string)[],
];

/** What the isolate makes of XML. */
export interface GuestXml {
  /** The node for a tree. */
  read(tree: XmlTree): unknown;
  isElement(value: unknown): boolean;
}

/**
 * Makes the XML objects of scripts: elements with the part of the DOM that scripts use, both as properties and as the
 * getters of Java's DOM, and their markup as text. It runs inside of the isolate: its text is what is loaded there, so
 * it refers to nothing outside of itself.
 */
export function installXml(): GuestXml {
  type Node = Element | Text;

  const escape = (text: string, quote: boolean): string => {
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return quote ? escaped.replaceAll('"', '&quot;') : escaped;
  };
  const localOf = (name: string): string => name.slice(name.indexOf(':') + 1);

  class NodeList extends Array<Node> {
    item(index: number): Node | null {
      return this[index] ?? null;
    }
    getLength(): number {
      return this.length;
    }
  }

  const listOf = (nodes: readonly Node[]): NodeList => {
    const list = new NodeList();
    for (const node of nodes) list.push(node);
    return list;
  };

  class Text {
    parentNode: Element | null = null;
    nodeValue: string;
    readonly nodeType = 3;
    readonly nodeName = '#text';

    constructor(text: string) {
      this.nodeValue = text;
    }
    get textContent(): string {
      return this.nodeValue;
    }
    get nextSibling(): Node | null {
      return this.parentNode?.after(this) ?? null;
    }
    getNodeValue(): string {
      return this.nodeValue;
    }
    setNodeValue(text: unknown): void {
      this.nodeValue = String(text);
    }
    getTextContent(): string {
      return this.nodeValue;
    }
    getNodeType(): number {
      return this.nodeType;
    }
    getNodeName(): string {
      return this.nodeName;
    }
    getParentNode(): Element | null {
      return this.parentNode;
    }
    getNextSibling(): Node | null {
      return this.nextSibling;
    }
    toString(): string {
      return escape(this.nodeValue, false);
    }
  }

  class Element {
    parentNode: Element | null = null;
    readonly nodeType = 1;
    readonly nodeValue = null;
    readonly nodeName: string;
    readonly namespaceURI: string | null;
    readonly #attributes = new Map<string, string>();
    readonly #children: Node[] = [];

    constructor(name: string, uri: string) {
      this.nodeName = name;
      this.namespaceURI = uri === '' ? null : uri;
    }
    get tagName(): string {
      return this.nodeName;
    }
    get localName(): string {
      return localOf(this.nodeName);
    }
    get childNodes(): NodeList {
      return listOf(this.#children);
    }
    get firstChild(): Node | null {
      return this.#children[0] ?? null;
    }
    get lastChild(): Node | null {
      return this.#children.at(-1) ?? null;
    }
    get nextSibling(): Node | null {
      return this.parentNode?.after(this) ?? null;
    }
    get textContent(): string {
      return this.#children.map((child) => child.textContent).join('');
    }
    set textContent(text: string | null | undefined) {
      for (const child of this.#children) child.parentNode = null;
      this.#children.length = 0;
      if (text !== null && text !== undefined) this.appendChild(new Text(text));
    }
    get ownerDocument(): typeof factory {
      return factory;
    }
    after(node: Node): Node | null {
      return this.#children[this.#children.indexOf(node) + 1] ?? null;
    }
    getTagName(): string {
      return this.nodeName;
    }
    getNodeName(): string {
      return this.nodeName;
    }
    getNodeType(): number {
      return this.nodeType;
    }
    getNodeValue(): null {
      return null;
    }
    getLocalName(): string {
      return this.localName;
    }
    getNamespaceURI(): string | null {
      return this.namespaceURI;
    }
    getTextContent(): string {
      return this.textContent;
    }
    setTextContent(text?: string | null): void {
      this.textContent = text;
    }
    getChildNodes(): NodeList {
      return this.childNodes;
    }
    hasChildNodes(): boolean {
      return this.#children.length > 0;
    }
    getFirstChild(): Node | null {
      return this.firstChild;
    }
    getLastChild(): Node | null {
      return this.lastChild;
    }
    getNextSibling(): Node | null {
      return this.nextSibling;
    }
    getParentNode(): Element | null {
      return this.parentNode;
    }
    getOwnerDocument(): typeof factory {
      return factory;
    }
    getAttribute(name: unknown): string {
      return this.#attributes.get(String(name)) ?? '';
    }
    hasAttribute(name: unknown): boolean {
      return this.#attributes.has(String(name));
    }
    setAttribute(name: unknown, value: unknown): void {
      this.#attributes.set(String(name), String(value));
    }
    removeAttribute(name: unknown): void {
      this.#attributes.delete(String(name));
    }
    getElementsByTagName(name: unknown): NodeList {
      return listOf(this.#descendants((node) => name === '*' || node.nodeName === name));
    }
    getElementsByTagNameNS(uri: unknown, local: unknown): NodeList {
      const fits = (node: Element): boolean =>
        (uri === '*' || (node.namespaceURI ?? '') === uri) && (local === '*' || node.localName === local);
      return listOf(this.#descendants(fits));
    }
    appendChild(node: Node): Node {
      return this.insertBefore(node, null);
    }
    insertBefore(node: Node, reference: Node | null): Node {
      if (!(node instanceof Element || node instanceof Text)) throw new TypeError('a node of XML was expected');
      if (node === this) throw new TypeError('an element cannot contain itself');
      for (let above = this.parentNode; above; above = above.parentNode) {
        if (above === node) throw new TypeError('an element cannot contain itself');
      }
      node.parentNode?.removeChild(node);
      const at = reference === null ? -1 : this.#children.indexOf(reference);
      this.#children.splice(at < 0 ? this.#children.length : at, 0, node);
      node.parentNode = this;
      return node;
    }
    replaceChild(node: Node, old: Node): Node {
      this.insertBefore(node, old);
      return this.removeChild(old);
    }
    removeChild(node: Node): Node {
      const at = this.#children.indexOf(node);
      if (at < 0) throw new TypeError('the node is no child of this element');
      this.#children.splice(at, 1);
      node.parentNode = null;
      return node;
    }
    cloneNode(deep: unknown): Element {
      const copy = new Element(this.nodeName, this.namespaceURI ?? '');
      for (const [name, value] of this.#attributes) copy.setAttribute(name, value);
      if (deep !== true) return copy;
      for (const child of this.#children) {
        copy.appendChild(child instanceof Text ? new Text(child.nodeValue) : child.cloneNode(true));
      }
      return copy;
    }
    toString(): string {
      const attributes = [...this.#attributes].map(([name, value]) => ` ${name}="${escape(value, true)}"`).join('');
      const content = this.#children.join('');
      const head = `<${this.nodeName}${attributes}`;
      return content === '' ? `${head}/>` : `${head}>${content}</${this.nodeName}>`;
    }
    toJSON(): string {
      return this.toString();
    }
    #descendants(fits: (node: Element) => boolean): Element[] {
      return this.#children.flatMap((child) => {
        if (!(child instanceof Element)) return [];
        const below = child.#descendants(fits);
        return fits(child) ? [child, ...below] : below;
      });
    }
  }

  const factory = Object.freeze({
    createElement: (name: unknown) => new Element(String(name), ''),
    createTextNode: (text: unknown) => new Text(String(text)),
    createElementNS(uri: unknown, name: unknown) {
      const element = new Element(String(name), String(uri));
      const prefix = element.nodeName.includes(':') ? `:${element.nodeName.split(':')[0] ?? ''}` : '';
      element.setAttribute(`xmlns${prefix}`, uri);
      return element;
    },
  });

  const read = ([name, uri, attributes, children]: XmlTree): Element => {
    const element = new Element(name, uri);
    for (const [attribute, value] of attributes) element.setAttribute(attribute, value);
    for (const child of children) element.appendChild(typeof child === 'string' ? new Text(child) : read(child));
    return element;
  };
  return { read, isElement: (value) => value instanceof Element };
}
