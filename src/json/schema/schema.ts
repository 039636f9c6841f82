import type { Ajv, AnySchema, ErrorObject, ValidateFunction } from 'ajv';
import { MillraceError, messageOf } from '#errors';
import { parseJson } from '../parse.ts';
import type { JsonValue } from '../value.ts';
import { createValidator, draftOf, type Draft } from './drafts.ts';
import { messageOfError } from './messages.ts';
import { toPlain } from './plain.ts';

/** A JSON Schema that cannot be compiled. */
export class JsonSchemaError extends MillraceError {
  constructor(message: string, cause?: unknown) {
    super({ code: 'MR_JSON_SCHEMA', message, ...(cause === undefined ? {} : { cause }) });
  }
}

/** Something in a document that its schema does not allow. */
export interface JsonFinding {
  readonly message: string;
  /** JSON Pointer of the value. */
  readonly path: string;
  readonly keyword: string;
}

/** A compiled JSON Schema. */
export interface JsonSchema {
  /** What is wrong with a value, a hundred findings at most; nothing when it is valid. */
  validate(value: JsonValue): readonly JsonFinding[];
}

/** The text of a schema and the key under which it is known. */
export interface JsonSchemaSource {
  readonly key: string;
  readonly text: string;
}

/** Finds the schema that a `$ref` to another document names. */
export type ResolveReference = (location: string, importer: string) => JsonSchemaSource | undefined;

const maxFindings = 100;
/** Most documents of one schema. */
const maxDocuments = 100;

/**
 * Compiles the text of a JSON Schema: draft-04 unless `$schema` says 06, 07, 2019-09 or 2020-12. A `$ref` to another
 * document is resolved by `resolve` only.
 *
 * @throws JsonSchemaError naming the key
 */
export function compileJsonSchema(source: JsonSchemaSource, resolve: ResolveReference): JsonSchema {
  return compilePlainSchema(parseSchema(source), source.key, resolve);
}

/** The same for a schema that is plain JavaScript already. @throws JsonSchemaError */
export function compilePlainSchema(
  schema: unknown,
  key: string,
  resolve: ResolveReference = () => undefined,
): JsonSchema {
  const draft = draftOf(schema);
  const ajv = createValidator(draft);
  try {
    addReferenced(ajv, { key, schema, resolve, seen: new Set() });
    const validate = ajv.compile(prepared(schema, draft));
    return { validate: (value) => findingsOf(validate, toPlain(value)) };
  } catch (error) {
    if (error instanceof JsonSchemaError) throw error;
    throw new JsonSchemaError(`${key}: the schema cannot be compiled: ${messageOf(error)}`, error);
  }
}

function parseSchema({ key, text }: JsonSchemaSource): unknown {
  try {
    return toPlain(parseJson(text));
  } catch (error) {
    throw new JsonSchemaError(`${key}: the schema is not JSON: ${messageOf(error)}`, error);
  }
}

/** A `$schema` that the engine has no meta-schema for is left out, as is an `id` that only says where it came from. */
function prepared(schema: unknown, draft: Draft): AnySchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema as boolean;
  const copy: Record<string, unknown> = { ...schema };
  if (draft === '04') delete copy['$schema'];
  return copy;
}

interface Search {
  readonly key: string;
  readonly schema: unknown;
  readonly resolve: ResolveReference;
  readonly seen: Set<string>;
}

/** Gives the engine the documents that references name, under the names that they use. */
function addReferenced(ajv: Ajv, { key, schema, resolve, seen }: Search): void {
  for (const reference of referencesIn(schema)) {
    const [location = ''] = reference.split('#');
    if (location === '' || seen.has(location)) continue;
    if (seen.size >= maxDocuments) throw new JsonSchemaError(`${key}: more than ${maxDocuments} documents`);
    const found = resolve(location, key);
    if (!found) continue;
    seen.add(location);
    const other = parseSchema(found);
    ajv.addSchema(prepared(other, draftOf(other)), location);
    addReferenced(ajv, { key: found.key, schema: other, resolve, seen });
  }
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    name === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}

function findingsOf(validate: ValidateFunction, value: unknown): readonly JsonFinding[] {
  if (validate(value)) return [];
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  return errors.slice(0, maxFindings).map((error) => ({
    message: messageOfError(error),
    path: error.instancePath,
    keyword: error.keyword,
  }));
}
