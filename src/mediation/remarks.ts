import { cloneNode, getAttribute, type SourceNode, type XmlElement, type XmlNode } from '#xml';
import { synapseNamespace } from './reading.ts';

/** What an element carries for people and tools, and what no definition keeps. */
export interface Remarks {
  /** Attributes such as `description`, by name. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Comments and `<description>` children, each with the number of other elements before it. */
  readonly nodes: readonly { readonly before: number; readonly node: XmlNode }[];
}

const attributeNames = ['description', 'statistics', 'trace', 'traceFilter'];

/** Reads the remarks of an element; undefined when there are none, so that nothing is kept of most elements. */
export function readRemarks(source: SourceNode): Remarks | undefined {
  const attributes = new Map<string, string>();
  for (const name of attributeNames) {
    const value = getAttribute(source.element, name);
    if (value === undefined) continue;
    attributes.set(name, value);
    if (name !== 'description' && value !== 'enable' && value !== 'disable') {
      source.warn(`"${name}" must be enable or disable; "${value}" means disable`, { attribute: name });
    }
  }
  const nodes: { before: number; node: XmlNode }[] = [];
  let before = 0;
  for (const child of source.element.children) {
    if (isRemark(child)) nodes.push({ before, node: cloneNode(child) });
    else if (child.kind === 'element') before++;
  }
  return attributes.size === 0 && nodes.length === 0 ? undefined : { attributes, nodes };
}

/** Puts remarks into the element that a definition was written to, in place; what is there already stays single. */
export function restoreRemarks(element: XmlElement, remarks: Remarks | undefined): XmlElement {
  if (!remarks) return element;
  for (const [name, value] of remarks.attributes) {
    if (element.attributes.some(({ local, uri }) => local === name && uri === '')) continue;
    element.attributes.push({ prefix: '', local: name, uri: '', value });
  }
  for (const { before, node } of remarks.nodes) insert(element, before, cloneNode(node));
  return element;
}

function isRemark(node: XmlNode): boolean {
  if (node.kind === 'comment') return true;
  // The root of a WSDL 2.0 document has the same name.
  return node.kind === 'element' && node.local === 'description' && node.uri === synapseNamespace;
}

/** Inserts a remark behind `before` elements and the remarks that stand there already. */
function insert(element: XmlElement, before: number, remark: XmlNode): void {
  let index = 0;
  for (let seen = 0; index < element.children.length; index++) {
    const child = element.children[index] as XmlNode;
    if (isRemark(child)) {
      if (seen === before && isSame(child, remark)) return;
    } else if (child.kind === 'element') {
      if (seen === before) break;
      seen++;
    }
  }
  remark.parent = element;
  element.children.splice(index, 0, remark);
}

function isSame(left: XmlNode, right: XmlNode): boolean {
  return left.kind === 'comment' && right.kind === 'comment' && left.value === right.value;
}
