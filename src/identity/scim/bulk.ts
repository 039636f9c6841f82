import { MillraceError, toError } from '#errors';
import { getLogger } from '#core';
import { isObject, type ScimObject } from './json.ts';
import { ScimError, scimErrorBody } from './scim-error.ts';

const log = getLogger('identity');

export const bulkLimits = { operations: 1000, size: 1_048_576 } as const;

/** Performs one operation of a bulk request and gives its resource, if it has one. */
export type Perform = (method: string, path: string, data: ScimObject) => Promise<ScimObject | undefined>;

export interface BulkRequest {
  readonly failOnErrors?: number | undefined;
  readonly Operations: readonly {
    readonly method: string;
    readonly path: string;
    readonly bulkId?: string | undefined;
    readonly data?: unknown;
  }[];
}

const successes: Readonly<Record<string, string>> = { POST: '201', PUT: '200', PATCH: '200', DELETE: '204' };

/** Performs operations in their order; later ones may name what earlier ones made by `bulkId:ID` (RFC 7644 §3.7). */
export async function performBulk(request: BulkRequest, perform: Perform, base: string): Promise<unknown> {
  const { Operations: operations, failOnErrors = Infinity } = request;
  if (operations.length > bulkLimits.operations) {
    throw new ScimError(413, `A bulk request has at most ${bulkLimits.operations} operations`, 'tooMany');
  }
  const made = new Map<string, string>();
  const results: unknown[] = [];
  let failures = 0;
  for (const { method, path, bulkId, data } of operations) {
    if (failures >= failOnErrors) break;
    const verb = method.toUpperCase();
    const about = { method: verb, ...(bulkId !== undefined && { bulkId }) };
    try {
      const resource = await perform(verb, resolved(path, made) as string, asObject(resolved(data ?? {}, made)));
      const given = resource?.['id'];
      const id = typeof given === 'string' ? given : '';
      if (bulkId !== undefined && id !== '') made.set(bulkId, id);
      const location = verb === 'POST' ? `${base}${path}/${id}` : `${base}${path}`;
      results.push({ ...about, location, status: successes[verb] ?? '200' });
    } catch (error) {
      failures++;
      if (!(error instanceof MillraceError))
        log.error({ err: toError(error) }, 'an operation of a bulk request failed');
      const known = error instanceof MillraceError ? error : new ScimError(500, 'The server failed to answer');
      results.push({ ...about, status: String(known.status), response: scimErrorBody(known) });
    }
  }
  return { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'], Operations: results };
}

function asObject(value: unknown): ScimObject {
  if (isObject(value)) return value;
  throw new ScimError(400, 'data: expected an object', 'invalidSyntax');
}

function resolved(value: unknown, made: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/bulkId:([\w-]+)/g, (_, name: string) => {
      const id = made.get(name);
      if (id === undefined) throw new ScimError(409, `bulkId ${name} stands for nothing that was made before`);
      return id;
    });
  }
  if (Array.isArray(value)) return value.map((item) => resolved(item, made));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolved(part, made)]));
}
