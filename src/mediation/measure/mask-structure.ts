import { isNodeSet, setAt, silentScope, textOf, type XPathNode } from '#expression';
import { JsonNumber, parseJson, stringifyJson, type JsonValue } from '#json';
import { parseXml, serializeXml, XmlText, type XmlElement } from '#xml';
import type { CompiledRules } from './masking-rules.ts';

/** What masking a structured text needs besides the rules. */
export interface StructureParts {
  readonly rules: CompiledRules;
  /** Told of every value that a rule covers. */
  readonly learn: (value: string, mark: string) => void;
  /** Masks a text within the text, such as JSON in an element. */
  readonly maskInner: (text: string, depth: number) => string;
}

/** Texts in texts are looked into this deep. */
export const mostInner = 8;
/** Deeper than messages are: what cannot be read cannot be masked. */
const limits = { maxDepth: 4096, maxAttributes: 4096 } as const;

/** Masks what paths lead to in JSON or XML, and in texts within that are JSON or XML themselves; other texts stay as they are. */
export function maskStructure(text: string, depth: number, parts: StructureParts): string {
  const start = /^\s*([{[<])/.exec(text)?.[1];
  if (start === undefined) return text;
  return start === '<' ? maskXml(text, depth, parts) : maskJson(text, depth, parts);
}

function maskJson(text: string, depth: number, { rules, learn, maskInner }: StructureParts): string {
  let root = readable(() => parseJson(text, limits));
  if (root === undefined) return text;
  let isChanged = false;
  for (const { mark, finder } of rules.jsonPaths) {
    for (const place of finder.locate(root)) {
      if (place.value === undefined) continue;
      learnJson(place.value, (value) => learn(value, mark));
      if (place.parent === undefined) root = mark;
      else setAt(place, mark);
      isChanged = true;
    }
  }
  const inside = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      const inner = maskInner(value, depth + 1);
      isChanged ||= inner !== value;
      return inner;
    }
    if (value instanceof JsonNumber) {
      const inner = maskInner(value.text, depth + 1);
      if (inner === value.text) return value;
      isChanged = true;
      return inner;
    }
    if (Array.isArray(value)) for (const [index, item] of value.entries()) value[index] = inside(item);
    else if (value instanceof Map) for (const [name, member] of value) value.set(name, inside(member));
    return value;
  };
  root = inside(root);
  return isChanged ? stringifyJson(root) : text;
}

function maskXml(text: string, depth: number, { rules, learn, maskInner }: StructureParts): string {
  const root = readable(() => parseXml(text, limits).root);
  if (root === undefined) return text;
  let isChanged = false;
  for (const { mark, finder } of rules.xpaths) {
    const found = finder.evaluate(silentScope, root);
    if (!isNodeSet(found)) {
      if (found !== null && typeof found !== 'boolean') learn(textOf(found), mark);
      continue;
    }
    for (const node of found) {
      learnXml(node, (value) => learn(value, mark));
      isChanged = maskNode(node, { mark, root }) || isChanged;
    }
  }
  const inner = (value: string): string => {
    const shown = maskInner(value, depth + 1);
    isChanged ||= shown !== value;
    return shown;
  };
  const inside = (element: XmlElement): void => {
    for (const attribute of element.attributes) attribute.value = inner(attribute.value);
    const texts = element.children.filter((child) => child.kind === 'text');
    const text = texts.map(({ value }) => value).join('');
    const shown = inner(text);
    if (shown !== text) {
      // One text may stand in pieces, as in several CDATA sections.
      for (const piece of texts) piece.value = '';
      if (texts[0]) texts[0].value = shown;
    }
    for (const child of element.children) if (child.kind === 'element') inside(child);
  };
  inside(root);
  return isChanged ? serializeXml(root) : text;
}

function maskNode(node: XPathNode, { mark, root }: { mark: string; root: XmlElement }): boolean {
  if (node.kind === 'document') return maskNode(root, { mark, root });
  if (node.kind === 'attribute') node.attribute.value = mark;
  else if (node.kind === 'text') node.value = mark;
  else if (node.kind === 'element') {
    node.attributes = [];
    node.children = [];
    node.append(new XmlText(mark));
  } else return false;
  return true;
}

function learnJson(value: JsonValue, learn: (text: string) => void): void {
  if (typeof value === 'string') learn(value);
  else if (value instanceof JsonNumber) learn(value.text);
  else if (Array.isArray(value)) for (const item of value) learnJson(item, learn);
  else if (value instanceof Map) for (const member of value.values()) learnJson(member, learn);
}

function learnXml(node: XPathNode, learn: (text: string) => void): void {
  if (node.kind === 'attribute') learn(node.attribute.value);
  else if (node.kind === 'text') learn(node.value);
  else if (node.kind === 'document') learnXml(node.root, learn);
  else if (node.kind === 'element') {
    for (const { value } of node.attributes) learn(value);
    for (const child of node.children) learnXml(child, learn);
  }
}

/** What a text is when it is read; undefined when it only looks like JSON or XML. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
