import type { JsonKeys, JsonValue } from '#json';
import { EvaluationError } from '../error.ts';
import type { Scope } from '../scope.ts';
import type { IndexPart, PathStep } from './ast.ts';
import { holds, valueOf } from './conditions.ts';
import { applyFunction, functionKind } from './functions.ts';

/** The document in which absolute paths of filters look, and the message for embedded expressions. */
export interface PathContext {
  readonly root: JsonValue;
  readonly scope: Scope | undefined;
}

/** True when a path can lead to one value at most; other paths yield arrays. */
export function isDefinite(steps: readonly PathStep[]): boolean {
  return steps.every((step, index) => leadsToOne(step) || (step.kind === 'names' && index === steps.length - 1));
}

/** A path of nothing but single names and numbers from the start, as keys; undefined for any other, and for `$`. */
export function keysOf(steps: readonly PathStep[]): JsonKeys | undefined {
  const keys: (string | number)[] = [];
  for (const step of steps) {
    const [key, ...more] = step.kind === 'names' ? step.names : step.kind === 'indexes' ? step.indexes : [];
    if (more.length > 0 || key === undefined || typeof key === 'function') return undefined;
    if (typeof key === 'number' && (key < 0 || Object.is(key, -0))) return undefined;
    keys.push(key);
  }
  return keys.length === 0 ? undefined : keys;
}

function leadsToOne(step: PathStep): boolean {
  switch (step.kind) {
    case 'names':
      return step.names.length === 1;
    case 'indexes':
      return step.indexes.length === 1;
    case 'computed':
    case 'function':
      return true;
    default:
      return false;
  }
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
  const isWhole = isDefinite(steps);
  let value = start;
  for (const [index, step] of steps.entries()) {
    // Where a path begins to fan out, what stands before must exist; further on, missing parts are passed over.
    if (!isWhole && !leadsToOne(step)) return fanOut(steps.slice(index), value, context);
    const next = stepInto(step, value, context);
    if (next === undefined) return undefined;
    value = next;
  }
  return value;
}

function fanOut(steps: readonly PathStep[], value: JsonValue, context: PathContext): JsonValue[] | undefined {
  const [first] = steps;
  const needsItems = first?.kind === 'slice' || first?.kind === 'indexes';
  if (needsItems && !Array.isArray(value)) return undefined;
  if (first?.kind === 'filter' && !Array.isArray(value) && !(value instanceof Map)) return undefined;
  const found: JsonValue[] = [];
  walk(steps, 0, { value, context, budget: { left: maxVisits }, visit: (each) => found.push(each) });
  return found;
}

interface CallPlace {
  readonly start: JsonValue;
  readonly context: PathContext;
}

function evaluateCall(steps: readonly PathStep[], call: number, { start, context }: CallPlace): JsonValue | undefined {
  const step = steps[call];
  const path = steps.slice(0, call);
  const value = evaluatePath(path, start, context);
  if (value === undefined || step?.kind !== 'function') return undefined;
  const args = step.args.map((operand) => valueOf(operand, { ...context, candidate: start }) ?? null);
  const kind = functionKind(step.name);
  let result: JsonValue | undefined;
  if (kind === 'numbers' || isDefinite(path) || !Array.isArray(value)) result = applyFunction(step.name, value, args);
  else if (kind === 'length' && path[0]?.kind === 'descend')
    result = applyFunction(step.name, value.flatMap(itemsOf), args);
  else result = value.flatMap((each) => asList(applyFunction(step.name, each, args)));
  return result === undefined ? undefined : evaluatePath(steps.slice(call + 1), result, context);
}

function asList(value: JsonValue | undefined): JsonValue[] {
  return value === undefined ? [] : [value];
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  return value instanceof Map || Array.isArray(value) ? [...value.values()] : [];
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
  readonly budget: { left: number };
  readonly visit: (value: JsonValue) => void;
}

/** Paths such as `$..*..*..*` lead to more values than anybody can use. */
const maxVisits = 2_000_000;

function walk(steps: readonly PathStep[], index: number, place: WalkPlace): void {
  const step = steps[index];
  const { value, context } = place;
  if (place.budget.left-- <= 0) throw new EvaluationError(`the path leads to more than ${maxVisits} values`);
  if (!step) return place.visit(value);
  if (step.kind === 'names' && step.names.length > 1 && index === steps.length - 1) {
    const isDeep = steps[index - 1]?.kind === 'descend';
    const fits = value instanceof Map && (!isDeep || step.names.every((name) => value.has(name)));
    if (fits) place.visit(merged(value, step.names));
    return;
  }
  // Behind `..` a filter looks at each object itself, since the items of arrays come by anyway.
  if (step.kind === 'filter' && steps[index - 1]?.kind === 'descend' && Array.isArray(value)) return;
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

/** Jayway counts from `from` up to `to`, and takes negative numbers on the way for places from the end. */
function sliceIndexes(step: Extract<PathStep, { kind: 'slice' }>, length: number, context: PathContext): number[] {
  const resolve = (part: IndexPart | undefined): number | undefined =>
    part === undefined ? undefined : resolveIndex(part, context);
  const from = resolve(step.from);
  const to = resolve(step.to);
  const stride = resolve(step.step) ?? 1;
  if (stride < 1) throw new EvaluationError('the step of a slice must be positive');
  const first = from === undefined ? 0 : to === undefined ? Math.max(0, fromStart(from, length)) : from;
  const end = Math.min(length, to === undefined ? length : from === undefined ? fromStart(to, length) : to);
  const indexes: number[] = [];
  for (let index = Math.max(first, -length); index < end; index += stride) indexes.push(fromStart(index, length));
  return indexes;
}
