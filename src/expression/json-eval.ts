import { parseJson, stringifyJson, type JsonValue } from '#json';
import { within } from './error.ts';
import type { Expression } from './expression.ts';
import { compileJsonPath, type JsonPath } from './jsonpath/index.ts';
import type { Scope } from './scope.ts';
import { textOf, toJson } from './text.ts';
import { lookupVariable } from './variables.ts';
import { compileXPath, type Namespaces, type XPath } from './xpath/index.ts';

/**
 * Compiles what stands in `json-eval(…)` (runtime-core 8.3): a JSONPath on the payload, or on the JSON text of a
 * property after `$ctx:name` and its relatives. XPath in braces is replaced by its value first.
 *
 * @throws ExpressionError with the offset within `path`
 */
export function compileJsonEval(path: string, namespaces: Namespaces): Omit<Expression, 'source'> {
  const property = /^\s*\$(\w+):([^.[\s]+)\s*/.exec(path);
  const read = property ? propertyReader(property[1] ?? '', property[2] ?? '') : payloadReader;
  const pathStart = property?.[0].length ?? 0;
  const pathFor = within(pathStart, () => compilePathText(path.slice(pathStart), property !== null, namespaces));
  const isFixed = property === null && !path.includes('{');
  const evaluate = (scope: Scope): JsonValue | undefined => {
    const keys = isFixed ? pathFor(scope).keys : undefined;
    if (keys) return unwrapped(scope.jsonAt(keys));
    const value = read(scope);
    return value === undefined ? undefined : unwrapped(pathFor(scope).evaluate(value, scope));
  };
  const isWholePayload = !property && /^\s*\$?\s*\.?\s*$/.test(path);
  const evaluateString = (scope: Scope): string => {
    const text = isWholePayload ? scope.jsonText() : undefined;
    return text ?? jsonResultText(evaluate(scope));
  };
  return {
    language: 'jsonpath',
    contentAware: property === null || /\{/.test(path),
    evaluateString,
    evaluateBoolean: (scope) => evaluateString(scope) === 'true',
    evaluateValue: evaluate,
  };
}

/** A result of JSONPath as text: strings without quotes, everything else as JSON, nothing as the empty string. */
export function jsonResultText(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : stringifyJson(value);
}

function payloadReader(scope: Scope): JsonValue | undefined {
  return scope.json();
}

function propertyReader(prefix: string, name: string): (scope: Scope) => JsonValue | undefined {
  return (scope) => {
    const value = lookupVariable(scope, prefix, name);
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? parseJson(value, { skipLeading: true }) : toJson(value);
  };
}

function compilePathText(text: string, relative: boolean, namespaces: Namespaces): (scope: Scope) => JsonPath {
  const parts = relative ? [`$${text}`] : splitEmbedded(text);
  if (parts.length === 1) {
    const path = within(relative ? -1 : 0, () => compileJsonPath(parts[0] ?? ''));
    return () => path;
  }
  const embedded: (string | XPath)[] = parts.map((part, index) =>
    index % 2 === 0 ? part : within(text.indexOf(`{${part}}`) + 1, () => compileXPath(part, namespaces)),
  );
  let last: { text: string; path: JsonPath } | undefined;
  return (scope) => {
    const filled = embedded
      .map((part) => (typeof part === 'string' ? part : textOf(part.evaluateString(scope))))
      .join('');
    if (last?.text !== filled) last = { text: filled, path: compileJsonPath(filled) };
    return last.path;
  };
}

/** Literal text and the contents of braces in turn. Braces that hold an object literal of a filter stay text. */
function splitEmbedded(text: string): string[] {
  return text.split(/\{((?!\s*["'}])[^{}]*)\}/);
}

/** The original takes such a member for the whole result. */
function unwrapped(value: JsonValue | undefined): JsonValue | undefined {
  if (!(value instanceof Map)) return value;
  return value.get('members') ?? value.get('elements') ?? value;
}
