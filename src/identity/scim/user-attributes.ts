import { localDialect } from '../claims/local-claims.ts';
import { isObject, member, type ScimObject } from './json.ts';
import { ScimError } from './scim-error.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const systemSchema = 'urn:scim:wso2:schema';

/** Attributes with one value, and the local claim that holds it. */
const single: readonly (readonly [path: readonly string[], claim: string])[] = [
  [['externalId'], 'externalid'],
  [['name', 'formatted'], 'fullname'],
  [['name', 'givenName'], 'givenname'],
  [['name', 'familyName'], 'lastname'],
  [['name', 'middleName'], 'middleName'],
  [['name', 'honorificPrefix'], 'honorificPrefix'],
  [['name', 'honorificSuffix'], 'honorificSuffix'],
  [['displayName'], 'displayName'],
  [['nickName'], 'nickname'],
  [['profileUrl'], 'url'],
  [['title'], 'title'],
  [['userType'], 'userType'],
  [['preferredLanguage'], 'local'],
  [['locale'], 'locale'],
  [['timezone'], 'timeZone'],
  [[enterpriseSchema, 'employeeNumber'], 'employeeNumber'],
  [[enterpriseSchema, 'costCenter'], 'costCenter'],
  [[enterpriseSchema, 'organization'], 'organization'],
  [[enterpriseSchema, 'division'], 'division'],
  [[enterpriseSchema, 'department'], 'department'],
];

/** Lists whose items differ by their type; `primary` is the claim of an item without a claim of its own type. */
const lists: readonly {
  readonly name: string;
  readonly primary: string;
  readonly types: Readonly<Record<string, string>>;
}[] = [
  {
    name: 'emails',
    primary: 'emailaddress',
    types: { work: 'emails.work', home: 'emails.home', other: 'emails.other' },
  },
  {
    name: 'phoneNumbers',
    primary: 'telephone',
    types: { mobile: 'mobile', home: 'homephone', work: 'workphone', other: 'otherphone' },
  },
];

const address: readonly (readonly [name: string, claim: string])[] = [
  ['formatted', 'addresses'],
  ['streetAddress', 'streetaddress'],
  ['locality', 'locality'],
  ['region', 'region'],
  ['postalCode', 'postalcode'],
  ['country', 'country'],
];

const disabledClaim = `${localDialect}identity/accountDisabled`;

/** Every claim that a user's resource shows. */
export const userClaims: readonly string[] = [
  ...single.map(([, claim]) => claim),
  ...lists.flatMap(({ primary, types }) => [primary, ...Object.values(types)]),
  ...address.map(([, claim]) => claim),
  'created',
  'modified',
]
  .map((claim) => localDialect + claim)
  .concat(disabledClaim);

/** The attributes of a resource from the values of claims. */
export function attributesOf(claims: ReadonlyMap<string, string>): ScimObject {
  const resource: ScimObject = {};
  const valueOf = (claim: string): string | undefined => claims.get(localDialect + claim);
  for (const [path, claim] of single) {
    const value = valueOf(claim);
    if (value !== undefined) set(resource, path, value);
  }
  for (const { name, primary, types } of lists) {
    const first = valueOf(primary);
    const items: ScimObject[] = [];
    for (const [type, claim] of Object.entries(types)) {
      const value = valueOf(claim);
      if (value !== undefined) items.push({ type, value, ...(value === first && { primary: true }) });
    }
    const isShown = items.some(({ value }) => value === first);
    if (first !== undefined && !isShown) items.unshift({ value: first, primary: true });
    if (items.length > 0) resource[name] = items;
  }
  const parts = address.flatMap(([name, claim]) => {
    const value = valueOf(claim);
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
export function claimsOfResource(resource: ScimObject): ReadonlyMap<string, string | null> {
  const claims = new Map<string, string | null>();
  const put = (claim: string, value: unknown, path: string): void => {
    claims.set(localDialect + claim, value === undefined || value === null ? null : textOf(value, path));
  };
  for (const [path, claim] of single) put(claim, at(resource, path), path.join('.'));
  for (const { name, primary, types } of lists) {
    const items = itemsOf(resource, name);
    const chosen = items.find((item) => isObject(item) && member(item, 'primary') === true) ?? items[0];
    put(primary, valueIn(chosen), name);
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

function set(resource: ScimObject, path: readonly string[], value: string): void {
  const [first = '', second] = path;
  if (second === undefined) resource[first] = value;
  else resource[first] = { ...(isObject(resource[first]) ? resource[first] : {}), [second]: value };
}
