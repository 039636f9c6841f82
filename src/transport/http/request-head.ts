import type { HeaderList } from '#message';
import { copyHeaders } from '../hop-by-hop.ts';
import { refuseMethod, type Refusal } from './refusal.ts';
import { isValidAuthority, readTarget } from './request-target.ts';

export interface HeadLimits {
  /** Most bytes of all header fields together. */
  readonly maxHeaderBytes: number;
  /** Most header fields. */
  readonly maxHeaders: number;
  /** Most bytes of the request target. */
  readonly maxUriBytes: number;
}

/** A head as the parser hands it over. */
export interface RawHead {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: string[];
  readonly version: '1.0' | '1.1';
}

/** What the listener needs to know of an acceptable head. */
export interface RequestHead {
  readonly target: string;
  readonly headers: HeaderList;
  readonly hasBody: boolean;
  /** Declared length of the body; `undefined` when it is chunked. */
  readonly bodyLength: number | undefined;
}

/** Examines a request head against the limits and the rules of RFC 9112; gives it without hop-by-hop fields. */
export function readHead(raw: RawHead, limits: HeadLimits): RequestHead | Refusal {
  const { method, url, rawHeaders, version } = raw;
  if (url.length > limits.maxUriBytes) return { status: 414, reason: 'The request target is too long' };
  const methodRefusal = refuseMethod(method);
  if (methodRefusal) return methodRefusal;
  const found = readFields(rawHeaders, limits);
  if ('status' in found) return found;
  if (found.isChunked && version === '1.0') return { status: 400, reason: 'HTTP/1.0 knows no Transfer-Encoding' };
  if (found.host === undefined ? version === '1.1' : !isValidAuthority(found.host)) {
    return { status: 400, reason: 'The Host field is not valid' };
  }
  const target = readTarget(url, method);
  if ('status' in target) return target;
  const headers = found.needsCopy ? copyHeaders(rawHeaders) : rawHeaders;
  if (target.authority !== undefined) replaceHost(headers, target.authority);
  return {
    target: target.target,
    headers,
    hasBody: found.isChunked || (found.length ?? 0) > 0,
    bodyLength: found.isChunked ? undefined : (found.length ?? 0),
  };
}

/** True when the fields announce a body, be they acceptable or not. */
export function announcesBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, index) => index % 2 === 0 && /^(?:content-length|transfer-encoding)$/i.test(name));
}

interface Fields {
  host: string | undefined;
  length: number | undefined;
  isChunked: boolean;
  needsCopy: boolean;
}

function readFields(rawHeaders: readonly string[], limits: HeadLimits): Fields | Refusal {
  const fields: Fields = { host: undefined, length: undefined, isChunked: false, needsCopy: false };
  if (rawHeaders.length > 2 * limits.maxHeaders) return { status: 431, reason: 'There are too many header fields' };
  let size = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    size += name.length + value.length + 4;
    switch (name.length) {
      case 4:
        if (name.toLowerCase() !== 'host') break;
        if (fields.host !== undefined) return { status: 400, reason: 'There are two Host fields' };
        fields.host = value;
        break;
      case 14:
        if (name.toLowerCase() !== 'content-length') fields.needsCopy = true; // HTTP2-Settings
        else if (/^\d{1,15}$/.test(value)) fields.length = Number(value);
        else return { status: 400, reason: 'The Content-Length is not valid' };
        break;
      case 17:
        fields.needsCopy = true;
        if (name.toLowerCase() !== 'transfer-encoding') break;
        // The parser finds out about some of these only after it has announced the request.
        if (fields.isChunked || value.toLowerCase() !== 'chunked') {
          return { status: 400, reason: 'The Transfer-Encoding is not known' };
        }
        fields.isChunked = true;
        break;
      // The lengths of the names of hop-by-hop fields.
      case 2:
      case 7:
      case 10:
      case 16:
      case 18:
      case 19:
        fields.needsCopy = true;
        break;
      default:
        break;
    }
  }
  return size > limits.maxHeaderBytes ? { status: 431, reason: 'The header fields are too large' } : fields;
}

/** The authority of an absolute target counts, whatever Host said (RFC 9112, 3.2.2). */
function replaceHost(headers: HeaderList, authority: string): void {
  const index = headers.findIndex((name, position) => position % 2 === 0 && name.toLowerCase() === 'host');
  if (index < 0) headers.unshift('Host', authority);
  else headers[index + 1] = authority;
}
