import type { ArtifactFile } from '#artifacts';
import { childElements, serializeAll, serializeXml, type SourceNode } from '#xml';

/** The text in an element, markup included: what stands in CDATA, as text or as elements. Undefined for none. */
export function blockText(node: SourceNode): string | undefined {
  const hasElements = childElements(node.element).length > 0;
  const text = hasElements ? serializeAll(node.element.children) : unwrapped(node.text());
  return text.trim() === '' ? undefined : text.trim();
}

/** A document that stands inside another one, on the same line, so that what is wrong with it is found there. */
export function inlineDocument(node: SourceNode, file: string): ArtifactFile {
  const [root] = node.children();
  if (!root) return { file, text: '' };
  return { file, text: `${'\n'.repeat(root.position().line - 1)}${serializeXml(root.element)}` };
}

/** Text that was wrapped in CDATA twice, as tools do that take an expected value for plain text. */
function unwrapped(text: string): string {
  return /^<!\[CDATA\[(.*)\]\]>$/s.exec(text)?.[1] ?? text;
}
