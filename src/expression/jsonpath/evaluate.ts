import type { JsonValue } from '#json';
import { EvaluationError } from '../error.ts';
import type { Scope } from '../scope.ts';
import type { IndexPart, PathStep } from './ast.ts';
import { holds, valueOf } from './conditions.ts';
import { applyFunction } from './functions.ts';

/** The document in which absolute paths of filters look, and the message for embedded expressions. */
export interface PathContext {
  readonly root: JsonValue;
  readonly scope: Scope | undefined;
}

/** True when a path can lead to one value at most; other paths yield arrays. */
export function isDefinite(steps: readonly PathStep[]): boolean {
  return steps.every((step, index) => {
    switch (step.kind) {
      case 'names':
        return step.names.length === 1 || index === steps.length - 1;
      case 'indexes':
        return step.indexes.length === 1;
      case 'computed':
      case 'function':
        return true;
      default:
        return false;
    }
  });
}

/**
 * What a path leads to: for a definite path its value or undefined, else an array of all values in document order.
 * A function at the end applies to what the path before it yields.
 */
export function evaluatePath(
  steps: readonly PathStep[],
  start: JsonValue,
  context: PathContext,
): JsonValue | undefined {
  const call = steps.findIndex((step) => step.kind === 'function');
  if (call >= 0) return evaluateCall(steps, call, { start, context });
  if (!isDefinite(steps)) {
    const found: JsonValue[] = [];
    walk(steps, 0, { value: start, context, visit: (value) => found.push(value) });
    return found;
  }
  let value: JsonValue | undefined = start;
  for (const step of steps) {
    value = stepInto(step, value, context);
    if (value === undefined) return undefined;
  }
  return value;
}

interface CallPlace {
  readonly start: JsonValue;
  readonly context: PathContext;
}

function evaluateCall(steps: readonly PathStep[], call: number, { start, context }: CallPlace): JsonValue | undefined {
  const step = steps[call];
  const value = evaluatePath(steps.slice(0, call), start, context);
  if (value === undefined || step?.kind !== 'function') return undefined;
  const args = step.args.map((operand) => valueOf(operand, { ...context, candidate: start }) ?? null);
  const result = applyFunction(step.name, value, args);
  return result === undefined ? undefined : evaluatePath(steps.slice(call + 1), result, context);
}

/** One step of a definite path. */
function stepInto(step: PathStep, value: JsonValue, context: PathContext): JsonValue | undefined {
  if (step.kind === 'names') {
    if (!(value instanceof Map)) return undefined;
    const [only] = step.names;
    return step.names.length === 1 && only !== undefined ? value.get(only) : merged(value, step.names);
  }
  if (step.kind === 'indexes') {
    const [index] = step.indexes;
    return index === undefined || !Array.isArray(value) ? undefined : value.at(resolveIndex(index, context));
  }
  return step.kind === 'computed' ? itemAt(value, computeKey(step.key, context)) : undefined;
}

function merged(value: ReadonlyMap<string, JsonValue>, names: readonly string[]): JsonValue {
  const result = new Map<string, JsonValue>();
  for (const name of names) {
    const member = value.get(name);
    if (member !== undefined) result.set(name, member);
  }
  return result;
}

interface WalkPlace {
  readonly value: JsonValue;
  readonly context: PathContext;
  readonly visit: (value: JsonValue) => void;
}

function walk(steps: readonly PathStep[], index: number, place: WalkPlace): void {
  const step = steps[index];
  const { value, context } = place;
  if (!step) return place.visit(value);
  if (step.kind === 'names' && step.names.length > 1 && index === steps.length - 1) {
    if (value instanceof Map) place.visit(merged(value, step.names));
    return;
  }
  for (const [, next] of childrenAt(step, value, context)) walk(steps, index + 1, { ...place, value: next });
}

/** The members or items that a step selects, each with its key; the empty key stands for the value itself. */
export function childrenAt(
  step: PathStep,
  value: JsonValue,
  context: PathContext,
): readonly (readonly [key: string | number | undefined, value: JsonValue])[] {
  switch (step.kind) {
    case 'names':
      return value instanceof Map ? pick(step.names, (name) => value.get(name)) : [];
    case 'computed': {
      const key = computeKey(step.key, context);
      return pick([key], () => itemAt(value, key));
    }
    case 'indexes': {
      if (!Array.isArray(value)) return [];
      const indexes = step.indexes.map((index) => fromStart(resolveIndex(index, context), value.length));
      return pick(indexes, (index) => value[index]);
    }
    case 'slice':
      return Array.isArray(value) ? pick(sliceIndexes(step, value.length, context), (index) => value[index]) : [];
    case 'wildcard':
      return value instanceof Map || Array.isArray(value) ? [...value.entries()] : [];
    case 'filter':
      return filtered(step, value, context);
    case 'descend':
      return descendants(value).map((each) => [undefined, each]);
    case 'function':
      throw new EvaluationError('a JSONPath function cannot be used where values are changed');
  }
}

function filtered(
  step: Extract<PathStep, { kind: 'filter' }>,
  value: JsonValue,
  context: PathContext,
): readonly (readonly [key: string | number | undefined, value: JsonValue])[] {
  const accepts = (candidate: JsonValue): boolean => holds(step.condition, { ...context, candidate });
  if (Array.isArray(value)) return [...value.entries()].filter(([, item]) => accepts(item));
  return value instanceof Map && accepts(value) ? [[undefined, value]] : [];
}

function pick<Key extends string | number>(
  keys: readonly Key[],
  get: (key: Key) => JsonValue | undefined,
): (readonly [Key, JsonValue])[] {
  const found: (readonly [Key, JsonValue])[] = [];
  for (const key of keys) {
    const value = get(key);
    if (value !== undefined) found.push([key, value]);
  }
  return found;
}

function descendants(value: JsonValue, found: JsonValue[] = []): JsonValue[] {
  if (!(value instanceof Map) && !Array.isArray(value)) return found;
  found.push(value);
  for (const child of value.values()) descendants(child, found);
  return found;
}

function itemAt(value: JsonValue, key: string | number): JsonValue | undefined {
  if (value instanceof Map) return value.get(String(key));
  return Array.isArray(value) ? value.at(Number(key)) : undefined;
}

function computeKey(key: (scope: Scope) => string | number, context: PathContext): string | number {
  if (!context.scope) throw new EvaluationError('a path with embedded expressions was evaluated without a message');
  return key(context.scope);
}

function resolveIndex(index: IndexPart, context: PathContext): number {
  return typeof index === 'number' ? index : Number(computeKey(index, context));
}

function fromStart(index: number, length: number): number {
  return index < 0 ? index + length : index;
}

function sliceIndexes(step: Extract<PathStep, { kind: 'slice' }>, length: number, context: PathContext): number[] {
  const resolve = (part: IndexPart | undefined, absent: number): number =>
    part === undefined ? absent : fromStart(resolveIndex(part, context), length);
  const stride = step.step === undefined ? 1 : resolveIndex(step.step, context);
  if (stride < 1) throw new EvaluationError('the step of a slice must be positive');
  const to = Math.min(length, resolve(step.to, length));
  const indexes: number[] = [];
  for (let index = Math.max(0, resolve(step.from, 0)); index < to; index += stride) indexes.push(index);
  return indexes;
}
