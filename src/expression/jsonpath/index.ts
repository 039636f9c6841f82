import type { JsonKeys, JsonValue } from '#json';
import type { Scope } from '../scope.ts';
import { evaluatePath, isDefinite, keysOf } from './evaluate.ts';
import { locatePath, type JsonReference } from './locate.ts';
import { parsePath } from './parse.ts';

/** A compiled JSONPath in the dialect of runtime-core 8.3. */
export interface JsonPath {
  /** True when it leads to one value at most; other paths yield arrays. */
  readonly definite: boolean;
  /** True for `$` alone. */
  readonly isRoot: boolean;
  /** The path as plain keys; undefined when it has other steps, or none. */
  readonly keys: JsonKeys | undefined;
  /** Undefined when nothing stands there. */
  readonly evaluate: (value: JsonValue, scope?: Scope) => JsonValue | undefined;
  /** The places it leads to, for changing them. */
  readonly locate: (value: JsonValue, scope?: Scope) => readonly JsonReference[];
}

/**
 * Compiles a JSONPath.
 *
 * @throws ExpressionError with the offset
 */
export function compileJsonPath(source: string): JsonPath {
  const { steps } = parsePath(source);
  return {
    definite: isDefinite(steps),
    isRoot: steps.length === 0,
    keys: keysOf(steps),
    evaluate: (value, scope) => evaluatePath(steps, value, { root: value, scope }),
    locate: (value, scope) => locatePath(steps, value, { root: value, scope }),
  };
}

export { addAt, removeAt, renameAt, setAt, type JsonReference } from './locate.ts';
