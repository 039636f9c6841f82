import { JsonNumber, jsonToXml, stringifyJson, wrapperNames, xmlToJsonText, type MappingOptions } from '#json';
import { appendChild, escapeText, parseXml, serializeAll, XmlElement, XmlError, type XmlNode } from '#xml';
import { isXmlNode, toJson } from '../text.ts';

export type PayloadMedia = 'xml' | 'json' | 'text';

/** The content of a text that is XML by the original's test: long enough, ending in `>` and well-formed. */
export function parseFragment(text: string): readonly XmlNode[] | undefined {
  const trimmed = text.trim();
  if (trimmed.length < 4 || !trimmed.startsWith('<') || !trimmed.endsWith('>')) return undefined;
  try {
    return parseXml(`<w>${trimmed.replace(/^<\?xml[^>]*\?>/, '')}</w>`).root.children;
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

/** True for text whose first character opens a JSON object or array. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** Nodes as a JSON object with a member for each. */
export function nodesToJson(nodes: readonly XmlNode[], mapping: MappingOptions): string {
  const helper = new XmlElement(wrapperNames.object);
  for (const node of nodes.slice()) appendChild(helper, node);
  const single = helper.children.length === 1 ? helper.children[0] : undefined;
  const isWrapper = single?.kind === 'element' && Object.values<string>(wrapperNames).includes(single.local);
  return xmlToJsonText(isWrapper ? single : helper, mapping);
}

/** JSON text as XML without the wrapper around it. */
export function jsonToMarkup(text: string, mapping: MappingOptions): string {
  const view = jsonToXml(text, mapping);
  return view ? serializeAll(view.children) : '';
}

/** Escapes text for the inside of a JSON string. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What a `${…}` yields, as the insertion table tells values apart. */
export type Inserted =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'xml'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** Sorts the native result of an expression; null is empty text. */
export function classify(value: unknown): Inserted {
  if (value === null || value === undefined) return { kind: 'text', text: '' };
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (typeof value === 'number' || typeof value === 'boolean') return { kind: 'text', text: String(value) };
  if (value instanceof JsonNumber) return { kind: 'text', text: value.text };
  if (Array.isArray(value) && value.length > 0 && value.every((item) => isXmlNode(item))) {
    return { kind: 'xml', text: serializeAll(value) };
  }
  return { kind: 'json', text: stringifyJson(toJson(value)) };
}

type Insertion = (value: Inserted, mapping: MappingOptions) => string;

function jsonBare({ kind, text }: Inserted, mapping: MappingOptions): string {
  if (kind === 'json') return text;
  return kind === 'xml' ? nodesToJson(parseFragment(text) ?? [], mapping) : escapeJson(text);
}

function xmlBare({ kind, text }: Inserted, mapping: MappingOptions): string {
  if (kind === 'json') return jsonToMarkup(text, mapping);
  return kind === 'xml' ? text : escapeText(text);
}

/** How `${…}` is inserted, bare and in quotes (mediators 4.1). */
export const insertions: Readonly<Record<PayloadMedia, { readonly bare: Insertion; readonly quoted: Insertion }>> = {
  json: { bare: jsonBare, quoted: ({ text }) => `"${escapeJson(text)}"` },
  xml: {
    bare: xmlBare,
    quoted: (value, mapping) => `"${value.kind === 'json' ? xmlBare(value, mapping) : escapeText(value.text)}"`,
  },
  text: { bare: ({ text }) => text, quoted: ({ text }) => `"${text}"` },
};
