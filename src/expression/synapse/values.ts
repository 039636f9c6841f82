import { JsonNumber, parseJson, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '#json';
import type { XmlNode } from '#xml';
import { EvaluationError } from '../error.ts';
import { isNodeList, isXmlNode, textOf, toJson } from '../text.ts';
import type { XPathNode } from '../xpath/index.ts';
import { numberText, parseJavaNumber, type JavaNumber } from './numbers.ts';

/** XML as a value: its nodes, and the text that stands for them. */
export interface Nodes {
  readonly kind: 'nodes';
  readonly nodes: readonly (XPathNode | XmlNode)[];
  readonly text: string;
}

export type SynapseValue = string | boolean | null | JavaNumber | Nodes | JsonArray | JsonObject;

/** A parsed JSON value with its number typed as in Java. */
export function fromJson(value: JsonValue): Exclude<SynapseValue, Nodes> {
  if (!(value instanceof JsonNumber)) return value;
  return parseJavaNumber(value.text) ?? value.text;
}

/** What a variable or parameter holds. */
export function fromNative(value: unknown): SynapseValue {
  if (typeof value === 'number' && !Number.isInteger(value)) return { kind: 'double', value };
  if (isXmlNode(value)) return { kind: 'nodes', nodes: [value], text: textOf(value) };
  if (isNodeList(value)) return { kind: 'nodes', nodes: value, text: textOf(value) };
  if (isJsonContainer(value)) return value;
  return fromJson(toJson(value));
}

/** Text of a header, property or parameter: a number when Java reads it as one. */
export function fromText(text: string): string | JavaNumber {
  return parseJavaNumber(text) ?? text;
}

export function isJsonContainer(value: unknown): value is JsonArray | JsonObject {
  return value instanceof Map || Array.isArray(value);
}

export function isNumber(value: SynapseValue): value is JavaNumber {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind !== 'nodes';
}

function isNodes(value: SynapseValue): value is Nodes {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'nodes';
}

/** The string form that comparisons and texts use. */
export function toText(value: SynapseValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (isJsonContainer(value)) return stringifyJson(toJson(value));
  return value.kind === 'nodes' ? value.text : numberText(value);
}

/** The value as others keep it: JSON, or a list of nodes. */
export function toNative(value: SynapseValue): JsonValue | readonly (XPathNode | XmlNode)[] {
  if (isNumber(value)) return new JsonNumber(numberText(value));
  return isNodes(value) ? value.nodes : value;
}

/** The value as JSON, for paths and filters; XML becomes its text. */
export function toJsonValue(value: SynapseValue): JsonValue {
  if (isNumber(value)) return new JsonNumber(numberText(value));
  return isNodes(value) ? value.text : value;
}

/** A string operand. @throws EvaluationError for other values */
export function expectString(value: SynapseValue): string {
  if (typeof value === 'string') return value;
  if (isNodes(value)) return value.text;
  throw new EvaluationError(`expected a string but found ${describe(value)}`);
}

/** A number operand. @throws EvaluationError for other values */
export function expectNumber(value: SynapseValue): JavaNumber {
  if (isNumber(value)) return value;
  throw new EvaluationError(`expected a number but found ${describe(value)}`);
}

/** An integer operand. @throws EvaluationError for other values */
export function expectInteger(value: SynapseValue): number {
  if (isNumber(value) && value.kind === 'integer') return value.value;
  throw new EvaluationError(`expected an integer but found ${describe(value)}`);
}

/** A boolean operand. @throws EvaluationError for other values */
export function expectBoolean(value: SynapseValue): boolean {
  if (typeof value === 'boolean') return value;
  throw new EvaluationError(`expected true or false but found ${describe(value)}`);
}

/** JSON behind a value: containers as they are, text parsed. @throws EvaluationError when there is none */
export function expectJson(value: SynapseValue): JsonValue {
  if (isJsonContainer(value)) return value;
  if (typeof value === 'string' && /^\s*[{[]/.test(value)) return parseJson(value);
  throw new EvaluationError(`expected an object or an array but found ${describe(value)}`);
}

/** Names a value for messages about errors, without its content. */
export function describe(value: SynapseValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'boolean') return 'a boolean';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Map) return 'an object';
  return value.kind === 'nodes' ? 'XML' : `a number (${value.kind})`;
}
