import { RestError } from './errors.ts';
import type { BodyForm } from './operation.ts';

export interface BodyLimits {
  /** Bytes; 1 MiB when absent. */
  readonly size?: number;
  /** Levels of objects and arrays in JSON; 64 when absent. */
  readonly depth?: number;
}

type Reader = (bytes: Uint8Array, request: Request, limits: BodyLimits) => unknown;

const readers: Readonly<Record<BodyForm, { readonly types: RegExp; readonly read: Reader }>> = {
  json: {
    types: /^application\/(?:[\w.+-]+\+)?json$/,
    read: (bytes, _request, limits) => parseJson(decode(bytes), limits.depth ?? 64),
  },
  form: { types: /^application\/x-www-form-urlencoded$/, read: (bytes) => formFields(decode(bytes)) },
  multipart: {
    types: /^multipart\/form-data$/,
    read: (bytes, request) =>
      new Response(bytes as Uint8Array<ArrayBuffer>, {
        headers: { 'Content-Type': request.headers.get('Content-Type') ?? '' },
      })
        .formData()
        .catch((cause: unknown) => Promise.reject(unreadable('The multipart body is malformed', cause))),
  },
  text: { types: /^text\//, read: decode },
  bytes: { types: /./, read: (bytes) => bytes },
};

/**
 * Reads a request's body.
 *
 * @returns parsed JSON, a record of form fields, `FormData`, a string or the bytes; undefined when there is no body
 * @throws RestError 413 beyond the size, 415 for another media type, 400 when it cannot be parsed
 */
export async function readRequestBody(request: Request, form: BodyForm, limits: BodyLimits): Promise<unknown> {
  if (!request.body) return undefined;
  const bytes = await readBytes(request.body, request, limits.size ?? 1024 * 1024);
  if (bytes.length === 0) return undefined;
  const reader = readers[form];
  const type = (request.headers.get('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!reader.types.test(type) && form !== 'bytes') {
    throw new RestError({
      code: 'MR_REST_MEDIA_TYPE',
      status: 415,
      message: `The body must be ${form === 'json' ? 'JSON' : `of the form ${form}`}, not ${type || 'of an unnamed type'}`,
    });
  }
  return reader.read(bytes, request, limits);
}

async function readBytes(body: ReadableStream<Uint8Array>, request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = (): RestError =>
    new RestError({
      code: 'MR_BODY_TOO_LARGE',
      status: 413,
      message: `The body is larger than the limit of ${limit} bytes`,
    });
  if (Number(request.headers.get('Content-Length') ?? 0) > limit) {
    await body.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses JSON no deeper than `depth` and without `__proto__` keys, which later merges would trip over. */
export function parseJson(text: string, depth: number): unknown {
  if (isDeeper(text, depth)) throw unreadable(`The JSON body is nested deeper than ${depth} levels`);
  try {
    // The reviver costs, and a key of that name can only come from text that spells it or escapes a character.
    return /__proto__|\\u/i.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof RestError) throw error;
    throw unreadable('The body is not valid JSON', error, (error as Error).message);
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw unreadable('The JSON body has a key "__proto__"');
  return value;
}

/** Counts brackets outside of strings. */
function isDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Fields as strings, or arrays of strings where a name is repeated; without a prototype. */
export function formFields(text: string): Record<string, string | string[]> {
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(text)) {
    const present = fields[name];
    if (present === undefined) fields[name] = value;
    else if (typeof present === 'string') fields[name] = [present, value];
    else present.push(value);
  }
  return fields;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable('The body is not valid UTF-8', cause);
  }
}

function unreadable(message: string, cause?: unknown, description?: string): RestError {
  return new RestError({
    code: 'MR_REST_BODY',
    status: 400,
    message,
    cause,
    ...(description !== undefined && { description }),
  });
}
