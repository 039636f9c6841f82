import { addAt, compileJsonPath, removeAt, renameAt, setAt, type JsonPath, type JsonReference } from '#expression';
import type { JsonValue } from '#json';
import type { SourceNode } from '#xml';
import { reporting } from '../reading.ts';

/** A JSONPath that can be written through: it finds places and changes what stands there. */
export interface JsonPathSource {
  readonly text: string;
  /** True when the path is the root itself. */
  readonly isRoot: boolean;
  /** Each of these returns how many places it touched. */
  set(root: JsonValue, value: JsonValue): number;
  add(root: JsonValue, value: JsonValue): number;
  remove(root: JsonValue): number;
  rename(root: JsonValue, name: string): number;
}

/** The paths of `json-eval($.a, $.b)`, for removing several places at once. */
export function jsonPathSources(node: SourceNode, text: string): readonly JsonPathSource[] {
  const list = /^json-eval\((.*)\)$/s.exec(text.trim())?.[1];
  const parts = list === undefined ? [text] : list.split(/,(?=\s*\$)/).map((path) => `json-eval(${path.trim()})`);
  return parts.flatMap((part) => jsonPathSource(node, part) ?? []);
}

/** The JSONPath in `json-eval(…)` or a plain `${payload…}`; undefined for any other expression. */
export function jsonPathSource(node: SourceNode, text: string): JsonPathSource | undefined {
  const path = /^json-eval\((.*)\)$/s.exec(text.trim())?.[1] ?? payloadPath(text.trim());
  if (path === undefined) return undefined;
  const compiled = reporting(node, 'xpath', () => compileJsonPath(path.trim() === '$.' ? '$' : path.trim()));
  if (!compiled) return undefined;
  return {
    text: path.trim(),
    isRoot: path.trim() === '$' || path.trim() === '$.',
    set: (root, value) => each(compiled.locate(root), (place) => setAt(place, value)),
    add: (root, value) => each(existing(compiled, root), (place) => addAt(place, value)),
    remove(root) {
      const places = existing(compiled, root);
      removeAt(places);
      return places.length;
    },
    rename: (root, name) => each(existing(compiled, root), (place) => renameAt(place, name)),
  };
}

/** `${payload.a.b}` as the JSONPath `$.a.b`; undefined when the expression is more than a path. */
function payloadPath(text: string): string | undefined {
  const match = /^\$\{(?:payload|\$)((?:\.{1,2}[A-Za-z_*][\w-]*|\[[^\]]+\])*)\}$/.exec(text);
  return match ? `$${match[1] ?? ''}` : undefined;
}

/** Places that hold something; a definite path also leads to a member that could be created. */
function existing(path: JsonPath, root: JsonValue): JsonReference[] {
  return path.locate(root).filter(({ value }) => value !== undefined);
}

function each<T>(places: readonly T[], act: (place: T) => unknown): number {
  for (const place of places) act(place);
  return places.length;
}
