import type { HeaderList } from '#message';

/** Fields that concern one connection only (RFC 9110, 7.6.1, and the older `Proxy-*` and `Trailer` of RFC 2616). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** These, and the fields that the transport itself decides upon for each message that it sends. */
const neverCopied: ReadonlySet<string> = new Set([...hopByHop, 'content-length', 'expect']);

/** Fields that a `Connection` field cannot take away, since that would strip what the far end decides upon. */
const protectedFields: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'date',
  'etag',
  'expect',
  'forwarded',
  'host',
  'location',
  'origin',
  'range',
  'referer',
  'set-cookie',
  'vary',
  'via',
  'www-authenticate',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
]);

/** Bit n is set when some name that may be dropped has n characters; most names end their examination here. */
const droppedLengths = [...neverCopied].reduce((bits, name) => bits | (1 << name.length), 0);

function mayBeDropped({ length }: string): boolean {
  return length < 32 && (droppedLengths & (1 << length)) !== 0;
}

/**
 * A copy of `headers` without hop-by-hop fields and without the fields that its `Connection` fields name; security
 * and framing fields cannot be removed by being named there.
 */
export function copyHeaders(headers: Readonly<HeaderList>): HeaderList {
  return copyWithout(headers, hopByHop);
}

/**
 * What of `headers` a transport sends: without hop-by-hop fields, and without `Content-Length` and `Expect`, since it
 * frames messages anew. The list itself when nothing of it has to go, as with most messages that are forwarded.
 */
export function sentHeaders(headers: Readonly<HeaderList>): Readonly<HeaderList> {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (mayBeDropped(name) && neverCopied.has(name.toLowerCase())) return copyWithout(headers, neverCopied);
  }
  return headers;
}

function copyWithout(headers: Readonly<HeaderList>, dropped: ReadonlySet<string>): HeaderList {
  const copy: HeaderList = [];
  let named: Set<string> | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (mayBeDropped(name)) {
      const lower = name.toLowerCase();
      if (lower === 'connection') named = addTokens(named, value);
      if (dropped.has(lower)) continue;
    }
    copy.push(name, value);
  }
  return named ? copy.filter((_, index) => !named.has((copy[index & ~1] ?? '').toLowerCase())) : copy;
}

/** True when one of the `Connection` fields says `close`. */
export function asksToClose(headers: Readonly<HeaderList>): boolean {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index];
    if (name?.length !== 10 || name.toLowerCase() !== 'connection') continue;
    if (hasToken(headers[index + 1] ?? '', 'close')) return true;
  }
  return false;
}

/** True when a list of tokens, in any case, has `token`, which is in lower case. */
export function hasToken(list: string, token: string): boolean {
  if (list.length <= token.length) return list.length === token.length && list.toLowerCase() === token;
  return list.includes(',') ? tokensOf(list).includes(token) : list.trim().toLowerCase() === token;
}

function addTokens(named: Set<string> | undefined, value: string): Set<string> | undefined {
  if (value === 'keep-alive' || value === 'close') return named;
  const tokens = tokensOf(value).filter((token) => token !== 'close' && token !== 'keep-alive');
  const removable = tokens.filter((token) => token !== '' && !protectedFields.has(token));
  return removable.length === 0 ? named : new Set([...(named ?? []), ...removable]);
}

function tokensOf(value: string): string[] {
  return value
    .toLowerCase()
    .split(',')
    .map((token) => token.trim());
}
