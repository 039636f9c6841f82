import type { IDocumentWriter, IDomFacade, INodesFactory } from 'fontoxpath';
import {
  attributesOf,
  childrenOf,
  createDomNode,
  namePartsOf,
  nodeTypes,
  type DomNode,
  type DomViews,
} from './dom-node.ts';

/** The engine's way into our trees: how nodes are related. */
export function createFacade(views: DomViews): IDomFacade {
  const beside = (node: DomNode, step: number): DomNode | null => {
    const siblings = node.parent && childrenOf(node.parent, views);
    if (!siblings || node.nodeType === nodeTypes.attribute) return null;
    const index = siblings[node.index] === node ? node.index : siblings.indexOf(node);
    return siblings[index + step] ?? null;
  };
  const facade = {
    getAllAttributes: (node: DomNode) => attributesOf(node),
    getAttribute: (node: DomNode, name: string) =>
      attributesOf(node).find(({ nodeName }) => nodeName === name)?.data ?? null,
    getChildNodes: (node: DomNode) => childrenOf(node, views),
    getData: (node: DomNode) => node.data,
    getFirstChild: (node: DomNode) => childrenOf(node, views)[0] ?? null,
    getLastChild: (node: DomNode) => childrenOf(node, views).at(-1) ?? null,
    getNextSibling: (node: DomNode) => beside(node, 1),
    getParentNode: (node: DomNode) => node.parent,
    getPreviousSibling: (node: DomNode) => beside(node, -1),
  };
  // The engine's types are those of the browser's DOM, of which it needs what our nodes have.
  return facade as unknown as IDomFacade;
}

/** Makes the nodes that a query constructs. */
export const nodesFactory = {
  createAttributeNS: (uri: string | null, name: string) =>
    createDomNode(nodeTypes.attribute, { name: namePartsOf(uri, name) }),
  createCDATASection: (data: string) => createDomNode(nodeTypes.text, { data }),
  createComment: (data: string) => createDomNode(nodeTypes.comment, { data }),
  createDocument: () => createDomNode(nodeTypes.document, {}),
  createElementNS: (uri: string | null, name: string) =>
    createDomNode(nodeTypes.element, { name: namePartsOf(uri, name) }),
  createProcessingInstruction: (target: string, data: string) =>
    createDomNode(nodeTypes.instruction, { name: namePartsOf(null, target), data }),
  createTextNode: (data: string) => createDomNode(nodeTypes.text, { data }),
} as unknown as INodesFactory;

/** Puts constructed nodes together. */
export const documentWriter: IDocumentWriter = {
  insertBefore(parent: DomNode, node: DomNode, reference: DomNode | null) {
    parent.children ??= [];
    const at = reference ? parent.children.indexOf(reference) : parent.children.length;
    parent.children.splice(at, 0, node);
    node.parent = parent;
    node.index = at;
  },
  removeAttributeNS(node: DomNode, uri: string | null, name: string) {
    node.attributes = attributesOf(node).filter(
      (attribute) => attribute.localName !== name || (attribute.namespaceURI ?? '') !== (uri ?? ''),
    );
  },
  removeChild(parent: DomNode, child: DomNode) {
    parent.children = parent.children?.filter((each) => each !== child);
    child.parent = null;
  },
  setAttributeNS(node: DomNode, ...[uri, name, value]: readonly [uri: string | null, name: string, value: string]) {
    const attribute = createDomNode(nodeTypes.attribute, { name: namePartsOf(uri, name), data: value });
    attribute.parent = node;
    attributesOf(node).push(attribute);
  },
  setData(node: DomNode, data: string) {
    node.data = data;
  },
};
