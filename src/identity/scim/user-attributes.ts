import { localDialect } from '../claims/local-claims.ts';
import { isObject, member, type ScimObject } from './json.ts';
import { ScimError } from './scim-error.ts';
import type { UserTable } from './user-table.ts';

const disabledClaim = `${localDialect}identity/accountDisabled`;

/** Every claim that a user's resource shows. */
export function claimsIn({ single, lists, address }: UserTable): readonly string[] {
  const claims = [
    ...single.map(([, claim]) => claim),
    ...lists.flatMap(({ primary, types }) => [...(primary === undefined ? [] : [primary]), ...Object.values(types)]),
    ...address.map(([, claim]) => claim),
    `${localDialect}created`,
    `${localDialect}modified`,
    disabledClaim,
  ];
  return [...new Set(claims)];
}

/** The attributes of a resource from the values of claims. */
export function attributesOf(claims: ReadonlyMap<string, string>, { single, lists, address }: UserTable): ScimObject {
  const resource: ScimObject = {};
  for (const [path, claim] of single) {
    const value = claims.get(claim);
    if (value !== undefined) set(resource, path, value);
  }
  for (const { name, primary, types } of lists) {
    const first = primary === undefined ? undefined : claims.get(primary);
    const items: ScimObject[] = [];
    for (const [type, claim] of Object.entries(types)) {
      const value = claims.get(claim);
      if (value !== undefined) items.push({ type, value, ...(value === first && { primary: true }) });
    }
    const isShown = items.some(({ value }) => value === first);
    if (first !== undefined && !isShown) items.unshift({ value: first, primary: true });
    if (items.length > 0) resource[name] = items;
  }
  const parts = address.flatMap(([name, claim]) => {
    const value = claims.get(claim);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (parts.length > 0) resource['addresses'] = [{ type: 'work', ...Object.fromEntries(parts) }];
  resource['active'] = claims.get(disabledClaim) !== 'true';
  return resource;
}

/**
 * The values of claims from a resource; null for those that it does not have.
 *
 * @throws ScimError `invalidValue`
 */
export function claimsOfResource(
  resource: ScimObject,
  { single, lists, address }: UserTable,
): ReadonlyMap<string, string | null> {
  const claims = new Map<string, string | null>();
  const put = (claim: string, value: unknown, path: string): void => {
    const text = value === undefined || value === null ? null : textOf(value, path);
    // Attributes that share a claim have its value from the one that is there.
    if (text !== null || !claims.has(claim)) claims.set(claim, text);
  };
  for (const [path, claim] of single) put(claim, at(resource, path), path.join('.'));
  for (const { name, primary, types } of lists) {
    const items = itemsOf(resource, name);
    const chosen = items.find((item) => isObject(item) && member(item, 'primary') === true) ?? items[0];
    if (primary !== undefined) put(primary, valueIn(chosen), name);
    for (const [type, claim] of Object.entries(types)) {
      put(claim, valueIn(items.find((item) => isObject(item) && member(item, 'type') === type)), name);
    }
  }
  const [first] = itemsOf(resource, 'addresses');
  for (const [name, claim] of address) put(claim, isObject(first) ? member(first, name) : undefined, name);
  const active = member(resource, 'active');
  if (active !== undefined) claims.set(disabledClaim, isFalse(active) ? 'true' : null);
  return claims;
}

function isFalse(value: unknown): boolean {
  if (typeof value === 'boolean') return !value;
  // Some clients send booleans as texts.
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'false';
  throw new ScimError(400, 'active: expected true or false', 'invalidValue');
}

function itemsOf(resource: ScimObject, name: string): readonly unknown[] {
  const value = member(resource, name);
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new ScimError(400, `${name}: expected a list`, 'invalidValue');
}

function valueIn(item: unknown): unknown {
  return isObject(item) ? member(item, 'value') : item;
}

function textOf(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ScimError(400, `${path}: expected text`, 'invalidValue');
}

function at(resource: ScimObject, path: readonly string[]): unknown {
  let value: unknown = resource;
  for (const name of path) value = isObject(value) ? member(value, name) : undefined;
  return value;
}

function set(resource: ScimObject, [first = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    resource[first] = value;
    return;
  }
  const inner: ScimObject = isObject(resource[first]) ? { ...resource[first] } : {};
  set(inner, rest, value);
  resource[first] = inner;
}
