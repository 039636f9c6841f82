import { createHash } from 'node:crypto';
import type { Message } from '#message';
import { serializeXml } from '#xml';
import { textOfValue } from './typed-value.ts';

/** Which headers of a request tell it apart from others. */
export interface CacheKeyHeaders {
  /** Lower-cased names, or `*` for all; empty leaves it to `exclude`. */
  readonly include: readonly string[];
  /** Lower-cased names, or `*` for all. */
  readonly exclude: readonly string[];
}

/** Headers that differ without a meaning. */
const neverCounted = new Set(['date', 'user-agent']);
/** Methods whose body does not count. */
const bodiless = new Set(['GET', 'HEAD', 'DELETE']);

/** True when the key of a request takes its body, which must then be loaded. */
export function keyNeedsBody(method: string): boolean {
  return !bodiless.has(method);
}

/**
 * The key under which the answer to a request is kept (mediators 6.1): a digest of method, address, headers and, for
 * methods that have one, the body.
 */
export function cacheKey(message: Message, method: string, headers: CacheKeyHeaders): string {
  const hash = createHash('sha256');
  const add = (text: string): void => void hash.update(`${text.length}:${text}\n`);
  add(method);
  add(message.addressing.to ?? textOfValue(message.axis2.get('REST_URL_POSTFIX')));
  for (const line of countedHeaders(message.headers, headers)) add(line);
  if (keyNeedsBody(method)) hash.update(bodyOf(message));
  return hash.digest('base64url');
}

function countedHeaders(list: readonly string[], { include, exclude }: CacheKeyHeaders): string[] {
  const counts =
    include.length > 0
      ? (name: string): boolean => include.includes('*') || include.includes(name)
      : (name: string): boolean => !exclude.includes('*') && !exclude.includes(name);
  const lines: string[] = [];
  for (let index = 0; index < list.length; index += 2) {
    const name = (list[index] ?? '').toLowerCase();
    if (counts(name) && !neverCounted.has(name)) lines.push(`${name}: ${list[index + 1] ?? ''}`);
  }
  // Fields of one name keep their order, which has a meaning.
  return lines.sort((left, right) => {
    const [first = '', second = ''] = [left.split(':', 1)[0], right.split(':', 1)[0]];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}

function bodyOf({ payload }: Message): Uint8Array | string {
  return payload.receivedBytes ?? payload.jsonText() ?? serializeXml(payload.envelope());
}
