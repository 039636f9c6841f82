import type { ZodError, ZodType } from 'zod';
import { type FieldProblem, RestError } from './errors.ts';
import type { Schema, SchemaBuilder } from './operation.ts';

let loading: Promise<SchemaBuilder> | undefined;
const made = new WeakMap<Schema<unknown>, ZodType>();

/** The schema builder; loaded when the first schema is needed, since it takes longer than the rest of a start. */
export function loadSchemaBuilder(): Promise<SchemaBuilder> {
  loading ??= import('zod').then(({ z }) => z);
  return loading;
}

/** The schema that a schema function makes, made once. */
export function schemaOf(schema: Schema<unknown>, z: SchemaBuilder): ZodType {
  let type = made.get(schema);
  if (!type) {
    type = schema(z);
    made.set(schema, type);
  }
  return type;
}

/** A part of a request with the schema that it must meet. */
export interface Part {
  /** First segment of the field names: `path`, `query` or `body`. */
  readonly name: string;
  readonly schema: Schema<unknown> | undefined;
  readonly value: unknown;
}

/**
 * Checks the parts of a request and gives what their schemas make of them, in the same order; a part without a schema
 * stays as it is.
 *
 * @throws RestError 400 with every field that breaks a rule
 */
export async function validateParts(parts: readonly Part[]): Promise<unknown[]> {
  if (parts.every((part) => !part.schema)) return parts.map((part) => part.value);
  const z = await loadSchemaBuilder();
  const problems: FieldProblem[] = [];
  const values = await Promise.all(
    parts.map(async ({ name, schema, value }) => {
      if (!schema) return value;
      const result = await schemaOf(schema, z).safeParseAsync(value);
      if (result.success) return result.data;
      problems.push(...problemsOf(name, result.error, value));
      return undefined;
    }),
  );
  if (problems.length === 0) return values;
  const [first] = problems;
  throw new RestError({
    code: 'MR_REST_INVALID',
    status: 400,
    message: `${first?.field}: ${first?.rule}, found ${first?.found}`,
    fields: problems,
  });
}

function problemsOf(part: string, error: ZodError, value: unknown): FieldProblem[] {
  return error.issues.slice(0, 50).map((issue) => ({
    field: [part, ...issue.path.map(String)].join('.'),
    rule: issue.message,
    found: describeValue(issue.path.reduce<unknown>(childOf, value)),
  }));
}

function childOf(parent: unknown, key: PropertyKey): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, key)
    ? (parent as Record<PropertyKey, unknown>)[key]
    : undefined;
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
