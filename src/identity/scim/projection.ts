import { isObject, memberName, pathNames, type ScimObject } from './json.ts';

/** Attributes that are shown whatever is asked for. */
const always: ReadonlySet<string> = new Set(['id', 'schemas']);

/** The attributes that `attributes` and `excludedAttributes` leave of a resource (RFC 7644 §3.9). */
export function project(
  resource: ScimObject,
  { attributes, excluded }: { readonly attributes: readonly string[]; readonly excluded: readonly string[] },
): ScimObject {
  if (attributes.length > 0) {
    const kept: ScimObject = {};
    for (const name of always) if (resource[name] !== undefined) kept[name] = resource[name];
    for (const path of attributes) keep(resource, kept, pathNames(path));
    return kept;
  }
  const rest = structuredClone(resource);
  for (const path of excluded) if (!always.has(path)) drop(rest, pathNames(path));
  return rest;
}

function keep(from: ScimObject, into: ScimObject, [first = '', ...rest]: readonly string[]): void {
  const name = memberName(from, first);
  const value = from[name];
  if (value === undefined) return;
  if (rest.length === 0) into[name] = value;
  else if (Array.isArray(value)) into[name] = value.map((item) => (isObject(item) ? part(item, rest) : item));
  else if (isObject(value)) into[name] = { ...(isObject(into[name]) ? into[name] : {}), ...part(value, rest) };
}

function part(object: ScimObject, names: readonly string[]): ScimObject {
  const kept: ScimObject = {};
  keep(object, kept, names);
  return kept;
}

function drop(object: ScimObject, [first = '', ...rest]: readonly string[]): void {
  const name = memberName(object, first);
  if (rest.length === 0) delete object[name];
  else for (const inner of [object[name]].flat()) if (isObject(inner)) drop(inner, rest);
}
