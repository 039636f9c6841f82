import { JsonNumber } from '#json';
import { ownText, serializeXml } from '#xml';
import { formatJavaNumber } from '#core/java';
import { stringValue, type XPathNode } from './nodes.ts';
import type { XPathValue } from './values.ts';

/**
 * The string that an artifact sees of a result (runtime-core 8.2), which is not what the function `string` yields: one
 * element gives its own text or else its markup, several give their markup, numbers keep a fraction. Undefined is a
 * variable without a value.
 */
export function resultText(value: XPathValue, alwaysMarkup: boolean): string | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatJavaNumber(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value instanceof JsonNumber) return value.text;
  const [first] = value;
  if (value.length === 1 && first?.kind === 'element' && !alwaysMarkup) {
    const text = ownText(first).replaceAll('\u00a0', ' ').trim();
    return text === '' ? serializeXml(first) : text;
  }
  let text = '';
  for (const node of value) text += nodeText(node);
  return text;
}

function nodeText(node: XPathNode): string {
  if (node.kind === 'document') return serializeXml(node.root);
  return node.kind === 'element' ? serializeXml(node) : stringValue(node);
}
