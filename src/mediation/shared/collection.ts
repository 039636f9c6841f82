import { synapseCodes } from '#errors';
import { isXmlNode } from '#expression';
import { parseJson, stringifyJson, type JsonValue } from '#json';
import type { Message, Payload } from '#message';
import { appendChild, cloneNode, createEnvelope, firstChild, headerOf, soapVersionOf, XmlElement } from '#xml';
import { Fault } from '../fault.ts';
import type { ExpressionSource } from '../reading.ts';

/** One element of what is split: an XML element, or a JSON value. */
export type Item = { readonly element: XmlElement } | { readonly json: JsonValue };

/** The elements that an expression finds, as they stand in the message; undefined for what is no list of any kind. */
export function itemsOf({ expression }: ExpressionSource, message: Message): readonly Item[] | undefined {
  const value: unknown = expression.evaluateValue(message);
  if (value === undefined || value === null) return [];
  if (expression.language === 'jsonpath') return jsonItems(value);
  if (value instanceof XmlElement) return [{ element: value }];
  if (Array.isArray(value)) {
    const values: unknown[] = value;
    if (values.length > 0 && values.every((each) => isXmlNode(each))) {
      return values.filter((each) => each instanceof XmlElement).map((element) => ({ element }));
    }
    // An empty list of nodes and an empty array are alike.
    return expression.language === 'xpath' && values.length > 0 ? undefined : jsonItems(values);
  }
  return typeof value === 'string' ? jsonItems(parsedArray(value)) : undefined;
}

function jsonItems(value: unknown): readonly Item[] | undefined {
  return Array.isArray(value) ? (value as JsonValue[]).map((json) => ({ json })) : undefined;
}

/** A variable or property may hold JSON as text. */
function parsedArray(text: string): JsonValue | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A payload of the same kind as the message's with one element in it; headers of an envelope come along. */
export function payloadOf(item: Item, message: Message): Payload {
  const payload = message.payload.blank();
  if ('json' in item) payload.setJson(stringifyJson(item.json));
  else if (message.payload.hasJson()) payload.setContent([cloneNode(item.element)]);
  else payload.setEnvelope(envelopeAround(message.envelope(), [cloneNode(item.element)]));
  return payload;
}

/** An envelope like another one, header blocks included, with other content. */
export function envelopeAround(like: XmlElement, content: readonly XmlElement[]): XmlElement {
  const envelope = createEnvelope(soapVersionOf(like) ?? 'soap12', content);
  const header = firstChild(like, 'Header', like.uri);
  if (!header || header.children.length === 0) return envelope;
  const copy = headerOf(envelope);
  for (const block of header.children) appendChild(copy, cloneNode(block));
  return envelope;
}

/** The fault for what should have been a list. */
export function noList(what: string): Fault {
  return new Fault({ code: synapseCodes.mediation, message: `${what} did not resolve to a valid array` });
}
