import { getHeader, type HeaderList } from '#message';
import { copyHeaders, hasToken } from '../hop-by-hop.ts';
import type { HeadLimits } from './request-head.ts';
import { isValidAuthority, readTarget } from './request-target.ts';
import { refuseMethod, type Refusal } from './refusal.ts';

/** What the listener needs to know of an acceptable head of HTTP/2. */
export interface Http2Head {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** Declared length of the body. */
  readonly bodyLength: number | undefined;
  readonly expectsContinue: boolean;
  /** True when the client takes fields behind the body. */
  readonly acceptsTrailers: boolean;
  /** The names of fields behind the body. */
  readonly trailer: string | undefined;
}

/**
 * Reads the fields of a request (RFC 9113, 8.3), names and values in turn as they came. The library below has refused
 * what is malformed in HTTP/2 already; what remains obeys the rules for HTTP/1.1.
 *
 * @returns the request with `host` for `:authority`, or why it is refused
 */
export function readHttp2Head(raw: readonly string[], limits: HeadLimits): Http2Head | Refusal {
  const pseudo = new Map<string, string>();
  const fields: HeaderList = [];
  const cookies: string[] = [];
  let size = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    if (name.startsWith(':')) {
      pseudo.set(name, value);
      continue;
    }
    size += name.length + value.length + 4;
    // A client may send its cookies one by one; HTTP/1.1 has one field for all (RFC 9113, 8.2.3).
    if (name === 'cookie') cookies.push(value);
    else fields.push(name, value);
  }
  if (fields.length > 2 * limits.maxHeaders) return { status: 431, reason: 'There are too many header fields' };
  if (size > limits.maxHeaderBytes) return { status: 431, reason: 'The header fields are too large' };
  const method = pseudo.get(':method') ?? '';
  const path = pseudo.get(':path') ?? '';
  if (path.length > limits.maxUriBytes) return { status: 414, reason: 'The request target is too long' };
  const refusal = refuseMethod(method);
  if (refusal) return refusal;
  // Only the origin form is there: scheme and authority have fields of their own.
  if (!path.startsWith('/') && path !== '*') return { status: 400, reason: 'The request target is not a path' };
  const target = readTarget(path, method);
  if ('status' in target) return target;
  const host = hostOf(pseudo.get(':authority'), fields);
  if (host === undefined) return { status: 400, reason: 'The authority of the request is not valid' };
  const length = getHeader(fields, 'content-length');
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    return { status: 400, reason: 'The Content-Length is not valid' };
  }
  const expectation = getHeader(fields, 'expect')?.toLowerCase();
  if (expectation !== undefined && expectation !== '100-continue') {
    return { status: 417, reason: 'The expectation is not known' };
  }
  const headers = ['host', host, ...copyHeaders(fields.filter((_, index) => fields[index & ~1] !== 'host'))];
  if (cookies.length > 0) headers.push('cookie', cookies.join('; '));
  return {
    method,
    target: target.target,
    headers,
    bodyLength: length === undefined ? undefined : Number(length),
    expectsContinue: expectation !== undefined,
    acceptsTrailers: hasToken(getHeader(fields, 'te') ?? '', 'trailers'),
    trailer: getHeader(fields, 'trailer'),
  };
}

/** The one authority of a request; undefined when it has none or two that differ. */
function hostOf(authority: string | undefined, fields: Readonly<HeaderList>): string | undefined {
  const hosts = fields.filter((_, index) => index % 2 === 1 && fields[index - 1] === 'host');
  const [host = authority] = hosts;
  if (host === undefined || hosts.length > 1 || !isValidAuthority(host)) return undefined;
  return authority === undefined || authority.toLowerCase() === host.toLowerCase() ? host : undefined;
}
