import { nameOf, stringValue, type XPathNode } from './nodes.ts';
import { isNodeSet, toText, type XPathValue } from './values.ts';

/** A result as the rows of tests write it: `text` and its string form, or `nodes` with name and string-value of each. */
export function describeValue(value: XPathValue): string {
  if (!isNodeSet(value)) return `text ${toText(value)}`;
  return `nodes${value.map((node) => ` ${nodeName(node)}=${stringValue(node)}`).join('')}`;
}

function nodeName(node: XPathNode): string {
  if (node.kind === 'document' || node.kind === 'text' || node.kind === 'comment') return `#${node.kind}`;
  const { prefix, local } = nameOf(node);
  return prefix === '' ? local : `${prefix}:${local}`;
}
