import { textOf, toJson } from '#expression';
import { stringifyJson, xmlToJson, type JsonValue } from '#json';
import { setProperty, type Message } from '#message';
import { appendChild, cloneNode, XmlElement, XmlText, type SourceNode, type XmlNode } from '#xml';

const contentTypes = ['JSON', 'XML'] as const;

/** What becomes of the results of branches: an array of JSON, or elements in one of their own. */
export interface ResultForm {
  readonly contentType: (typeof contentTypes)[number];
  /** Name of the element around results in XML. */
  readonly enclosing: string | undefined;
}

/** Reads the form of results; XML needs the name of an element around them, except in the older spelling `result-type`. */
export function readResultForm(node: SourceNode, attribute: string): ResultForm {
  node.required(attribute);
  const contentType = node.choice(attribute, contentTypes, 'JSON');
  const enclosing = node.attribute('result-enclosing-element');
  if (contentType === 'XML' && enclosing === undefined && attribute !== 'result-type') {
    node.error('results in XML need "result-enclosing-element"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  return { contentType, enclosing };
}

/** Puts values together: an array, or an element around elements. */
export function combineResults(
  values: readonly unknown[],
  { contentType, enclosing }: ResultForm,
): JsonValue | XmlElement {
  if (contentType === 'JSON') return values.map((value) => jsonOf(value));
  const element = new XmlElement(enclosing ?? 'results');
  for (const value of values) for (const node of nodesOf(value)) appendChild(element, node);
  return element;
}

/** Makes the combined results the payload, of the type that goes with them. */
export function setResultBody(message: Message, result: JsonValue | XmlElement): void {
  if (result instanceof XmlElement) message.payload.setContent([result]);
  else message.payload.setJson(stringifyJson(result));
  const type = result instanceof XmlElement ? 'application/xml' : 'application/json';
  setProperty(message, { scope: 'axis2', name: 'messageType' }, type);
  message.axis2.delete('NO_ENTITY_BODY');
}

/** The payload of a finished branch as a value that outlives it. */
export function valueOfBranch({ payload }: Message, { contentType }: ResultForm): unknown {
  if (contentType === 'JSON') return payload.jsonValue();
  return payload.content();
}

function jsonOf(value: unknown): JsonValue {
  return value instanceof XmlElement ? xmlToJson(value) : toJson(value);
}

function nodesOf(value: unknown): XmlNode[] {
  if (value instanceof XmlElement) return [cloneNode(value)];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => nodesOf(each));
  return value === undefined || value === null ? [] : [new XmlText(textOf(value))];
}
