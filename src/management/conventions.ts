import { MillraceError } from '#errors';
import { jsonResponse, RestError, type SchemaBuilder } from '#rest';
import type { ZodType } from 'zod';

/** A failure whose text clients find under `Error` (management 1.4). */
export function refusal(status: number, message: string): MillraceError {
  return new MillraceError({ code: 'MR_MANAGEMENT', status, message });
}

/** An answer without a body. */
export function emptyResponse(status: number): Response {
  return new Response(null, { status, headers: { 'Content-Length': '0' } });
}

/** A list as all clients expect it. */
export function listOf(list: readonly unknown[]): { count: number; list: readonly unknown[] } {
  return { count: list.length, list };
}

/** What a status change says. */
export function message(text: string): Response {
  return jsonResponse({ Message: text });
}

/** What changes of trace, statistics, log levels and registry say. */
export function smallMessage(text: string): Response {
  return jsonResponse({ message: text });
}

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The one value of a query parameter; blank counts as absent. */
export function queryText(query: Query, name: string): string | undefined {
  const value = query[name];
  const text = typeof value === 'string' ? value : value?.[0];
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** Keeps what has the `searchKey` in its name, whatever the case. */
export function searched<T extends { readonly name: string }>(all: readonly T[], query: Query): readonly T[] {
  const key = queryText(query, 'searchKey')?.toLowerCase();
  return key === undefined ? all : all.filter(({ name }) => name.toLowerCase().includes(key));
}

/** The schema of a body whose fields are checked where they are used, since what is missing has its own answer. */
export function anyObject(z: SchemaBuilder): ZodType<Readonly<Record<string, unknown>>> {
  return z.record(z.string(), z.unknown());
}

/** A text field of a body. @throws MillraceError 400 when it is missing or no text */
export function requiredText(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  throw refusal(400, `The field "${name}" is missing; expected a text`);
}

export function optionalText(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw refusal(400, `The field "${name}" must be a text`);
}

/** What a failure is answered with: nothing where clients expect an empty body, else its text under `Error`. */
export function errorBody(error: MillraceError): unknown {
  const isBare = ['MR_REST_NOT_FOUND', 'MR_REST_UNAUTHENTICATED', 'MR_REST_FORBIDDEN', 'MR_REST_METHOD', bare];
  if (isBare.includes(String(error.code))) return undefined;
  const fields = error instanceof RestError ? error.fields : undefined;
  const where = fields?.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  return { Error: where === undefined || where === '' ? error.message : `${error.message} (${where})` };
}

const bare = 'MR_MANAGEMENT_BARE';

/** A failure that is answered with its status alone. */
export function bareRefusal(status: number, message: string): MillraceError {
  return new MillraceError({ code: bare, status, message });
}
