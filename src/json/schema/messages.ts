import type { ErrorObject } from 'ajv';

type Params = Readonly<Record<string, unknown>>;
type Write = (params: Params, data: unknown, schema: unknown) => string;

/** Texts of the validator that the original has, by keyword. */
const texts: Readonly<Partial<Record<string, Write>>> = {
  type: ({ type }, data) => {
    const allowed = [type].flat().map((name) => JSON.stringify(name));
    return `instance type (${typeOf(data)}) does not match any allowed primitive type (allowed: [${allowed.join(',')}])`;
  },
  required: ({ missingProperty }) => `object has missing required properties (${JSON.stringify([missingProperty])})`,
  additionalProperties: ({ additionalProperty }) =>
    `object instance has properties which are not allowed by the schema: ${JSON.stringify([additionalProperty])}`,
  enum: ({ allowedValues }, data) =>
    `instance value (${JSON.stringify(data)}) not found in enum (possible values: ${JSON.stringify(allowedValues)})`,
  minimum: ({ limit }, data) =>
    `numeric instance is lower than the required minimum (minimum: ${text(limit)}, found: ${text(data)})`,
  maximum: ({ limit }, data) =>
    `numeric instance is greater than the required maximum (maximum: ${text(limit)}, found: ${text(data)})`,
  exclusiveMinimum: ({ limit }) => `numeric instance is not strictly greater than the required minimum ${text(limit)}`,
  exclusiveMaximum: ({ limit }) => `numeric instance is not strictly lower than the required maximum ${text(limit)}`,
  multipleOf: ({ multipleOf }, data) => `remainder of division is not zero (${text(data)} / ${text(multipleOf)})`,
  minLength: ({ limit }, data) =>
    `string ${JSON.stringify(data)} is too short (length: ${lengthOf(data)}, required minimum: ${text(limit)})`,
  maxLength: ({ limit }, data) =>
    `string ${JSON.stringify(data)} is too long (length: ${lengthOf(data)}, maximum allowed: ${text(limit)})`,
  pattern: ({ pattern }, data) =>
    `ECMA 262 regex ${JSON.stringify(pattern)} does not match input string ${JSON.stringify(data)}`,
  format: ({ format }, data) => `string ${JSON.stringify(data)} is invalid against requested format ${text(format)}`,
  minItems: ({ limit }, data) =>
    `array is too short: must have at least ${text(limit)} elements but instance has ${lengthOf(data)} elements`,
  maxItems: ({ limit }, data) =>
    `array is too long: must have at most ${text(limit)} elements but instance has ${lengthOf(data)} elements`,
  uniqueItems: () => 'array must not contain duplicate elements',
  minProperties: ({ limit }, data) =>
    `object has too few properties (found ${membersOf(data)} but schema requires at least ${text(limit)})`,
  maxProperties: ({ limit }, data) =>
    `object has too many properties (found ${membersOf(data)} but schema requires at most ${text(limit)})`,
  oneOf: ({ passingSchemas }, _data, schema) => {
    const matched = Array.isArray(passingSchemas) ? passingSchemas.length : 0;
    return `instance failed to match exactly one schema (matched ${matched} out of ${lengthOf(schema)})`;
  },
  anyOf: (_params, _data, schema) => `instance failed to match at least one required schema among ${lengthOf(schema)}`,
  not: () => 'instance matched a schema which it should not have',
};

/** What is wrong, in the words of the original where it has any. */
export function messageOfError({ keyword, params, data, schema, message }: ErrorObject): string {
  return texts[keyword]?.(params as Params, data, schema) ?? message ?? keyword;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length;
  return Array.isArray(value) ? value.length : 0;
}

function membersOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
