import type { XmlNode } from '#xml';
import type { Axis } from './ast.ts';
import { visitChildren, type NodeCache, type Visit, type XPathNode } from './nodes.ts';

/** Walks an axis from a node, nearest node first; returns true when `visit` stopped it. */
export type Walk = (node: XPathNode, cache: NodeCache, visit: Visit) => boolean;

/** The axes of XPath 1.0 (section 2.2); namespaces and attributes come in the order of their declaration. */
export const walks: Readonly<Record<Axis, Walk>> = {
  self: (node, _cache, visit) => visit(node),
  child: (node, _cache, visit) => visitChildren(node, visit),
  descendant: (node, _cache, visit) => walkDown(node, visit),
  'descendant-or-self': (node, _cache, visit) => visit(node) || walkDown(node, visit),
  attribute: (node, cache, visit) => {
    if (node.kind !== 'element') return false;
    for (const attribute of node.attributes) if (visit(cache.attribute(node, attribute))) return true;
    return false;
  },
  namespace: (node, cache, visit) => node.kind === 'element' && cache.namespaces(node).some((each) => visit(each)),
  parent: (node, cache, visit) => {
    const parent = cache.parentOf(node);
    return parent !== null && visit(parent);
  },
  ancestor: (node, cache, visit) => walkUp(cache.parentOf(node), cache, visit),
  'ancestor-or-self': (node, cache, visit) => walkUp(node, cache, visit),
  'following-sibling': (node, _cache, visit) => {
    const { siblings, index } = siblingsOf(node);
    for (let at = index + 1; at < siblings.length; at++) {
      const sibling = siblings[at];
      if (sibling && visit(sibling)) return true;
    }
    return false;
  },
  'preceding-sibling': (node, _cache, visit) => {
    const { siblings, index } = siblingsOf(node);
    for (let at = index - 1; at >= 0; at--) {
      const sibling = siblings[at];
      if (sibling && visit(sibling)) return true;
    }
    return false;
  },
  following: (node, cache, visit) => {
    if (node.kind === 'attribute' || node.kind === 'namespace') {
      if (walkDown(node.owner, visit)) return true;
      return walks.following(node.owner, cache, visit);
    }
    for (let current: XPathNode | null = node; current; current = cache.parentOf(current)) {
      const { siblings, index } = siblingsOf(current);
      for (const sibling of siblings.slice(index + 1)) if (visit(sibling) || walkDown(sibling, visit)) return true;
    }
    return false;
  },
  preceding: (node, cache, visit) => {
    const start = node.kind === 'attribute' || node.kind === 'namespace' ? node.owner : node;
    for (let current: XPathNode | null = start; current; current = cache.parentOf(current)) {
      const { siblings, index } = siblingsOf(current);
      for (let at = index - 1; at >= 0; at--) {
        const sibling = siblings[at];
        if (sibling && walkDownBackwards(sibling, visit)) return true;
      }
    }
    return false;
  },
};

function walkDown(node: XPathNode, visit: Visit): boolean {
  return visitChildren(node, (child) => visit(child) || (child.kind === 'element' && walkDown(child, visit)));
}

function walkDownBackwards(node: XmlNode, visit: Visit): boolean {
  if (node.kind === 'element') {
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child && walkDownBackwards(child, visit)) return true;
    }
  }
  return visit(node);
}

function walkUp(start: XPathNode | null, cache: NodeCache, visit: Visit): boolean {
  for (let node = start; node; node = cache.parentOf(node)) if (visit(node)) return true;
  return false;
}

function siblingsOf(node: XPathNode): { siblings: readonly XmlNode[]; index: number } {
  if (node.kind === 'attribute' || node.kind === 'namespace' || node.kind === 'document' || !node.parent) {
    return { siblings: [], index: 0 };
  }
  return { siblings: node.parent.children, index: node.parent.children.indexOf(node) };
}
