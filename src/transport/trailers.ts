import type { Body, HeaderList, Trailers } from '#message';

/**
 * Fields that decide how a message is framed, routed, read, cached or who sent it: behind the body they come too late,
 * and a reader that merged them would be deceived (RFC 9110, 6.5.1; http-safety F10).
 */
const forbidden: ReadonlySet<string> = new Set([
  'accept-encoding',
  'age',
  'authorization',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'cookie2',
  'date',
  'expect',
  'expires',
  'forwarded',
  'host',
  'http2-settings',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'location',
  'max-forwards',
  'origin',
  'pragma',
  'range',
  'referer',
  'retry-after',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'vary',
  'via',
  'warning',
  'www-authenticate',
]);
const forbiddenPrefixes: readonly string[] = [':', 'access-control-', 'proxy-', 'sec-', 'x-forwarded-'];
const none: Trailers = Object.freeze({ announced: '', fields: [] });

/** The fields behind a body that may go on; the others are dropped. */
export function allowedTrailers(fields: Readonly<HeaderList>): HeaderList {
  return fields.filter((_, index) => isAllowed(fields[index & ~1] ?? ''));
}

/** The trailers of a body that begins: what the field `Trailer` of its head announces of allowed ones. */
export function announcedTrailers(names: string | undefined): Trailers {
  if (names === undefined) return none;
  const allowed = names.split(',').map((name) => name.trim());
  return { announced: allowed.filter((name) => name !== '' && isAllowed(name)).join(', '), fields: [] };
}

/** What the field `Trailer` says of a body that is sent; empty when there is nothing to say. */
export function announcementOf(body: Body): string {
  return body instanceof Uint8Array ? '' : (body?.trailers?.announced ?? '');
}

/** The trailers of a body that has ended. */
export function completeTrailers({ announced }: Trailers, fields: Readonly<HeaderList>): Trailers {
  return { announced, fields: allowedTrailers(fields) };
}

/** Fields by their names in lower case, as Node takes them where a list of names and values is none to it. */
export function fieldsByName(fields: Readonly<HeaderList>): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) {
    (byName[(fields[index] ?? '').toLowerCase()] ??= []).push(fields[index + 1] ?? '');
  }
  return byName;
}

function isAllowed(name: string): boolean {
  const lower = name.toLowerCase();
  return !forbidden.has(lower) && !forbiddenPrefixes.some((prefix) => lower.startsWith(prefix));
}
