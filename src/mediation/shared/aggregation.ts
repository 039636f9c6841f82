import { synapseCodes } from '#errors';
import { toJson } from '#expression';
import { stringifyJson, xmlToJson, type JsonObject, type JsonValue } from '#json';
import type { Message, Payload } from '#message';
import { appendChild, bodyOf, childElements, cloneNode, parseXml, XmlElement } from '#xml';
import { Fault } from '../fault.ts';
import type { ExpressionSource } from '../reading.ts';
import { envelopeAround } from './collection.ts';
import { textOfValue } from './typed-value.ts';

/** How the messages of a group become one (mediators 5.7). */
export interface AggregationSettings {
  /** What is kept of each message; the first element of the body when absent. */
  readonly expression: ExpressionSource | undefined;
  /** Name of the property that holds the element around the results. */
  readonly enclosing: string | undefined;
  readonly elementType: 'root' | 'child';
}

/**
 * Makes the payload of a group.
 *
 * @param base the message that becomes the result; the others give what the expression finds in them
 * @throws Fault when a later message has nothing that matches
 */
export function aggregatePayload(base: Message, messages: readonly Message[], settings: AggregationSettings): Payload {
  const { expression } = settings;
  if (expression && expression.expression.language !== 'xpath') return aggregateJson(base, messages, settings);
  if (!expression && messages.every((message) => message.hasJson())) return aggregateJson(base, messages, settings);
  return aggregateXml(base, messages, settings);
}

function aggregateXml(base: Message, messages: readonly Message[], settings: AggregationSettings): Payload {
  const wrapper = settings.enclosing === undefined ? undefined : wrapperOf(base, settings.enclosing);
  const found = messages.flatMap((message, index) => matchesOf(message, settings, index > 0));
  const payload = base.payload.blank();
  if (wrapper) {
    for (const element of found) appendChild(wrapper, element);
    payload.setEnvelope(envelopeAround(base.envelope(), [wrapper]));
  } else {
    payload.setEnvelope(envelopeAround(base.envelope(), found));
  }
  return payload;
}

/** Copies of what matches in one message; a first message without a match keeps its body (mediators 5.7). */
function matchesOf(message: Message, { expression }: AggregationSettings, isLater: boolean): XmlElement[] {
  const value: unknown = expression ? expression.expression.evaluateValue(message) : firstOf(message);
  const nodes = (Array.isArray(value) ? value : [value]).filter((each) => each instanceof XmlElement);
  if (nodes.length > 0) return nodes.map((node) => cloneNode(node));
  if (isLater)
    throw new Fault({ code: synapseCodes.mediation, message: 'Could not find matching elements to aggregate.' });
  return childElements(bodyOf(message.envelope())).map((element) => cloneNode(element));
}

function firstOf(message: Message): XmlElement | undefined {
  return message.payload.content();
}

function wrapperOf(message: Message, name: string): XmlElement {
  const value: unknown = message.property('default', name);
  if (value instanceof XmlElement) return cloneNode(value);
  const first: unknown = Array.isArray(value) ? value.find((each) => each instanceof XmlElement) : undefined;
  if (first instanceof XmlElement) return cloneNode(first);
  const text = textOfValue(value).trim();
  if (text.startsWith('<')) return parseXml(text).root;
  throw new Fault({
    code: synapseCodes.mediation,
    message: `The property "${name}" must hold the XML element around the aggregated messages, found "${text.slice(0, 80)}"`,
  });
}

function aggregateJson(base: Message, messages: readonly Message[], settings: AggregationSettings): Payload {
  const { expression, enclosing, elementType } = settings;
  const values = messages.flatMap((message): JsonValue[] => {
    const value: unknown = expression ? expression.expression.evaluateValue(message) : message.json();
    return value === undefined ? [] : [jsonOf(value)];
  });
  const combined = elementType === 'child' ? merged(values) : values;
  const payload = base.payload.blank();
  const key = enclosing === undefined ? undefined : wrapperOf(base, enclosing).local;
  payload.setJson(stringifyJson(key === undefined ? combined : new Map([[key, combined]])));
  return payload;
}

function jsonOf(value: unknown): JsonValue {
  return value instanceof XmlElement ? xmlToJson(value) : toJson(value);
}

/** One object of all members; what several have under one name becomes an array. */
function merged(values: readonly JsonValue[]): JsonObject {
  const result: JsonObject = new Map();
  const repeated = new Set<string>();
  for (const value of values) {
    if (!(value instanceof Map)) continue;
    for (const [name, member] of value) {
      const present = result.get(name);
      if (present === undefined) result.set(name, member);
      else if (repeated.has(name)) (present as JsonValue[]).push(member);
      else {
        repeated.add(name);
        result.set(name, [present, member]);
      }
    }
  }
  return result;
}
