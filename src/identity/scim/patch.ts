import { matchesFilter, parseFilter, type Filter } from './filter.ts';
import { isObject, member, memberName, pathNames, type ScimObject } from './json.ts';
import { ScimError } from './scim-error.ts';

export interface PatchOperation {
  readonly op: string;
  readonly path?: string | undefined;
  readonly value?: unknown;
}

interface Target {
  readonly names: readonly string[];
  /** Which of the list at `names` are meant. */
  readonly filter: Filter | undefined;
  /** Name within the chosen items. */
  readonly sub: string | undefined;
}

/**
 * Applies operations to a copy of a resource (RFC 7644 §3.5.2).
 *
 * @throws ScimError `invalidPath`, `invalidSyntax`, `noTarget`
 */
export function applyPatch(resource: ScimObject, operations: readonly PatchOperation[]): ScimObject {
  const changed = structuredClone(resource);
  for (const operation of operations) apply(changed, operation);
  return changed;
}

function apply(resource: ScimObject, { op, path, value }: PatchOperation): void {
  const kind = op.toLowerCase();
  if (kind !== 'add' && kind !== 'replace' && kind !== 'remove') {
    throw new ScimError(400, `op: expected add, replace or remove, found ${op}`, 'invalidSyntax');
  }
  if (path === undefined || path === '') {
    if (kind === 'remove') throw new ScimError(400, 'remove needs a path', 'noTarget');
    if (!isObject(value)) throw new ScimError(400, 'Without a path the value must be an object', 'invalidValue');
    for (const [name, part] of Object.entries(value)) apply(resource, { op: kind, path: name, value: part });
    return;
  }
  const target = parsePath(path);
  const { names, filter } = target;
  const parent = parentOf(resource, names, kind !== 'remove');
  const last = names.at(-1) ?? '';
  if (!parent) return;
  const name = memberName(parent, last);
  if (filter) changeItems(parent, name, { kind, target, value });
  else if (kind === 'remove') removeFrom(parent, name, value);
  else parent[name] = kind === 'add' ? added(parent[name], value) : replaced(parent[name], value);
}

/** `remove` with a value takes only those items off a list, as several clients send it. */
function removeFrom(parent: ScimObject, name: string, value: unknown): void {
  const present = parent[name];
  if (value === undefined || !Array.isArray(present)) {
    delete parent[name];
    return;
  }
  const gone = (Array.isArray(value) ? value : [value]).map(keyOf);
  parent[name] = present.filter((item) => !gone.includes(keyOf(item)));
}

function added(present: unknown, value: unknown): unknown {
  if (Array.isArray(present)) {
    const known = present.map(keyOf);
    return [...present, ...(Array.isArray(value) ? value : [value]).filter((item) => !known.includes(keyOf(item)))];
  }
  return isObject(present) && isObject(value) ? { ...present, ...value } : value;
}

function replaced(present: unknown, value: unknown): unknown {
  return isObject(present) && isObject(value) ? { ...present, ...value } : value;
}

interface ItemChange {
  readonly kind: 'add' | 'replace' | 'remove';
  readonly target: Target;
  readonly value: unknown;
}

function changeItems(parent: ScimObject, name: string, { kind, target, value }: ItemChange): void {
  const { filter, sub } = target;
  const present = parent[name];
  const items: readonly unknown[] = Array.isArray(present) ? present : [];
  const isMeant = (item: unknown): boolean => filter !== undefined && isObject(item) && matchesFilter(filter, item);
  if (!items.some(isMeant)) {
    if (kind === 'remove') return;
    const seed = filter?.kind === 'compare' && filter.operator === 'eq' ? { [filter.path]: filter.value } : undefined;
    if (!seed || kind === 'replace') throw new ScimError(400, `Nothing is at ${name} with these values`, 'noTarget');
    parent[name] = [...items, sub === undefined ? { ...seed, ...(value as object) } : { ...seed, [sub]: value }];
    return;
  }
  if (kind === 'remove' && sub === undefined) {
    parent[name] = items.filter((item) => !isMeant(item));
    return;
  }
  parent[name] = items.map((item) => {
    if (!isMeant(item) || !isObject(item)) return item;
    if (sub === undefined) return isObject(value) ? { ...item, ...value } : value;
    const copy = { ...item };
    if (kind === 'remove') delete copy[memberName(copy, sub)];
    else copy[memberName(copy, sub)] = value;
    return copy;
  });
}

function parentOf(resource: ScimObject, names: readonly string[], makes: boolean): ScimObject | undefined {
  let object = resource;
  for (const name of names.slice(0, -1)) {
    const own = memberName(object, name);
    const inner = object[own];
    if (isObject(inner)) object = inner;
    else if (makes && inner === undefined) object = object[own] = {};
    else return undefined;
  }
  return object;
}

function parsePath(path: string): Target {
  const match = /^([^[\]]+)\[(.+)\](?:\.([\w$-]+))?$/.exec(path);
  const plain = match ? (match[1] ?? '') : path;
  if (!/^[A-Za-z][\w.:$-]*$/.test(plain)) throw new ScimError(400, `The path ${path} is wrong`, 'invalidPath');
  const names = pathNames(plain);
  if (!match) return { names, filter: undefined, sub: undefined };
  return { names, filter: parseFilter(match[2] ?? ''), sub: match[3] };
}

function keyOf(item: unknown): string {
  return isObject(item) ? JSON.stringify(member(item, 'value') ?? item) : JSON.stringify(item);
}
