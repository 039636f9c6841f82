import type { JsonArray, JsonObject, JsonValue } from '#json';
import type { PathStep } from './ast.ts';
import { childrenAt, isDefinite, type PathContext } from './evaluate.ts';

/** A place in a JSON value that can be read, set and taken away; the root has no parent. */
export interface JsonReference {
  readonly parent: JsonArray | JsonObject | undefined;
  readonly key: string | number | undefined;
  /** Undefined for a member that its object does not have yet. */
  readonly value: JsonValue | undefined;
}

/**
 * The places that a path leads to, in document order. The member that the last step of a definite path names is a place
 * even when its object lacks it, so that it can be set.
 */
export function locatePath(steps: readonly PathStep[], root: JsonValue, context: PathContext): JsonReference[] {
  let places: JsonReference[] = [{ parent: undefined, key: undefined, value: root }];
  for (const [index, step] of steps.entries()) {
    const mayBeMissing = index === steps.length - 1 && isDefinite(steps);
    places = places.flatMap((place) => stepFrom(place, step, { mayBeMissing, context }));
  }
  return places;
}

interface StepPlace {
  readonly mayBeMissing: boolean;
  readonly context: PathContext;
}

function stepFrom(place: JsonReference, step: PathStep, { mayBeMissing, context }: StepPlace): JsonReference[] {
  const { value } = place;
  if (value === undefined) return [];
  if (mayBeMissing && step.kind === 'names' && step.names.length === 1 && value instanceof Map) {
    const [name = ''] = step.names;
    return [{ parent: value, key: name, value: value.get(name) }];
  }
  return childrenAt(step, value, context).map(([key, child]) => {
    if (key === undefined) return child === value ? place : { parent: undefined, key: undefined, value: child };
    return { parent: value instanceof Map || Array.isArray(value) ? value : undefined, key, value: child };
  });
}

/** Sets the value at a place; nothing happens at a root. */
export function setAt({ parent, key }: JsonReference, value: JsonValue): void {
  if (parent instanceof Map) parent.set(String(key), value);
  else if (parent && typeof key === 'number') parent[key < 0 ? key + parent.length : key] = value;
}

/** Takes away what stands at the places, which must come from one `locate`. */
export function removeAt(places: readonly JsonReference[]): void {
  for (const { parent, key } of places.toReversed()) {
    if (parent instanceof Map) parent.delete(String(key));
    else if (parent && typeof key === 'number') parent.splice(key, 1);
  }
}

/** Gives a member another name, keeping its place among the members. Items of arrays have no name to change. */
export function renameAt({ parent, key }: JsonReference, name: string): void {
  if (!(parent instanceof Map) || !parent.has(String(key))) return;
  const members = [...parent];
  parent.clear();
  for (const [member, value] of members) parent.set(member === key ? name : member, value);
}

/** Adds to what stands at the place: items to an array, members to an object. Returns false for other values. */
export function addAt({ value }: JsonReference, addition: JsonValue): boolean {
  if (Array.isArray(value)) {
    value.push(...(Array.isArray(addition) ? addition : [addition]));
    return true;
  }
  if (!(value instanceof Map) || !(addition instanceof Map)) return false;
  for (const [name, member] of addition) value.set(name, member);
  return true;
}
