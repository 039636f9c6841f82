import { wrongType } from '../convert.ts';
import { childrenOf, localName, nodeNamespace, parentOf, XmlNodes, type DomNode } from '../xml-nodes.ts';
import { plainText } from '../convert.ts';
import type { Value } from '../values.ts';
import type { Builtin, BuiltinCall } from './builtin.ts';

/** Built-ins of XML nodes. */
export const nodeBuiltins: Readonly<Record<string, Builtin>> = {
  node_name: ofNode((node) => localName(node)),
  node_type: ofNode((node) => (node.kind === 'instruction' ? 'pi' : node.kind)),
  node_namespace: ofNode((node) => nodeNamespace(node)),
  children: ofNode((node, nodes) => nodes.list(childrenOf(node, nodes.document))),
  parent: ofNode((node, nodes) => {
    const parent = parentOf(node, nodes.document);
    return parent && nodes.of(parent);
  }),
  root: ofNode((_, nodes) => nodes.of(nodes.document)),
  ancestors: { ...ofNode(ancestors), arity: [0, Number.POSITIVE_INFINITY] },
  previous_sibling: ofNode((node, nodes) => beside(node, nodes, -1)),
  next_sibling: ofNode((node, nodes) => beside(node, nodes, 1)),
};

function ofNode(evaluate: (node: DomNode, nodes: XmlNodes, call: BuiltinCall) => Value): Builtin {
  return {
    evaluate(value, call) {
      const nodes = value instanceof XmlNodes ? value : undefined;
      const node = nodes?.node ?? (nodes?.size === 1 ? nodes.nodes[0] : undefined);
      if (!nodes || !node) throw wrongType('an XML node', value, call.operand);
      return evaluate(node, nodes, call);
    },
  };
}

/** The elements around a node, innermost first, the document last; with names only those. */
function ancestors(node: DomNode, nodes: XmlNodes, { environment, args }: BuiltinCall): Value {
  const names = args.map((argument) => plainText(environment, argument.evaluate(environment), argument));
  const found: DomNode[] = [];
  for (let current = parentOf(node, nodes.document); current; current = parentOf(current, nodes.document)) {
    if (names.length === 0 || names.includes(localName(current))) found.push(current);
  }
  return nodes.list(found);
}

function beside(node: DomNode, nodes: XmlNodes, step: 1 | -1): Value {
  const parent = parentOf(node, nodes.document);
  const siblings = parent ? childrenOf(parent, nodes.document) : [];
  const sibling = siblings[siblings.indexOf(node) + step];
  return sibling && siblings.includes(node) ? nodes.of(sibling) : undefined;
}
