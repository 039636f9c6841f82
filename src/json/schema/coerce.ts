import { JsonNumber, type JsonValue } from '../value.ts';

/** A schema in plain JavaScript. */
type Schema = Readonly<Record<string, unknown>>;

/** How deep schemas may name each other for one value. */
const deepest = 200;

/**
 * Makes the values of a document what its schema declares, where that is possible without a loss: texts become
 * numbers, Booleans or null, these become texts, and a single value becomes an array of one (mediators 4.6). What
 * cannot be changed stays, for the validation to find.
 */
export function coerceJson(value: JsonValue, schema: unknown): JsonValue {
  return coerce(value, schema, { root: schema, depth: 0 });
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
}

function coerce(value: JsonValue, schema: unknown, { root, depth }: Place): JsonValue {
  if (!isSchema(schema) || depth > deepest) return value;
  const place = { root, depth: depth + 1 };
  const reference = schema['$ref'];
  if (typeof reference === 'string') return coerce(value, referenced(root, reference), place);
  const typed = toType(value, [schema['type']].flat());
  const inside = Array.isArray(typed)
    ? coerceItems(typed, schema, place)
    : typed instanceof Map
      ? coerceMembers(typed, schema, place)
      : typed;
  const parts: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return parts.reduce<JsonValue>((present, part) => coerce(present, part, place), inside);
}

function toType(value: JsonValue, types: readonly unknown[]): JsonValue {
  if (types.some((type) => isOfType(value, type))) return value;
  for (const type of types) {
    const changed = conversions[String(type)]?.(value);
    if (changed !== undefined) return changed;
  }
  return value;
}

/** What a value becomes that is not of the type; undefined when it cannot. */
const conversions: Readonly<Record<string, ((value: JsonValue) => JsonValue | undefined) | undefined>> = {
  string: textIn,
  number: (value) => numberIn(value, /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/),
  integer: (value) => numberIn(value, /^-?(?:0|[1-9]\d*)$/),
  boolean(value) {
    const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
    return text === 'true' || text === 'false' ? text === 'true' : undefined;
  },
  null: (value) => (value === '' || value === 'null' ? null : undefined),
  array: (value) => [value],
};

function isOfType(value: JsonValue, type: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return value instanceof JsonNumber;
    case 'integer':
      return value instanceof JsonNumber && Number.isInteger(Number(value.text));
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return value instanceof Map;
    default:
      return type === undefined;
  }
}

function numberIn(value: JsonValue, pattern: RegExp): JsonValue | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return pattern.test(text) ? new JsonNumber(text) : undefined;
}

function textIn(value: JsonValue): JsonValue | undefined {
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'boolean' ? String(value) : undefined;
}

function coerceItems(items: readonly JsonValue[], schema: Schema, place: Place): JsonValue {
  const { items: first, prefixItems, additionalItems } = schema;
  const tuple: readonly unknown[] = Array.isArray(first) ? first : Array.isArray(prefixItems) ? prefixItems : [];
  const rest = Array.isArray(first) ? additionalItems : first;
  return items.map((item, index) => coerce(item, index < tuple.length ? tuple[index] : rest, place));
}

function coerceMembers(members: ReadonlyMap<string, JsonValue>, schema: Schema, place: Place): JsonValue {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const result = new Map<string, JsonValue>();
  for (const [name, member] of members) {
    const own = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'];
    result.set(name, coerce(member, own, place));
  }
  return result;
}

/** What `#/definitions/name` names; undefined for anything else, which the validation resolves. */
function referenced(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isSchema(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
