import type { HeaderList } from '#message';
import { copyHeaders, hasToken } from '../hop-by-hop.ts';
import { isMalformedHead, readFieldLines } from './field-lines.ts';
import { cannotBegin, readRequestLine } from './request-line.ts';
import { refuseMethod, type Refusal } from './refusal.ts';
import { isValidAuthority, readTarget } from './request-target.ts';

/** What a request line may have besides its target while it is not complete. */
const methodBytes = 64;

export interface HeadLimits {
  /** Most bytes of all header fields together. */
  readonly maxHeaderBytes: number;
  /** Most header fields. */
  readonly maxHeaders: number;
  /** Most bytes of the request target. */
  readonly maxUriBytes: number;
}

/** What the listener needs to know of an acceptable head. */
export interface ReadRequest {
  readonly method: string;
  readonly version: '1.0' | '1.1';
  readonly target: string;
  readonly headers: HeaderList;
  readonly hasBody: boolean;
  /** Declared length of the body; `undefined` when it is chunked. */
  readonly bodyLength: number | undefined;
  /** True when the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** The protocol that the client would rather speak. */
  readonly upgrade: string | undefined;
  /** The names of fields behind the body. */
  readonly trailer: string | undefined;
  readonly acceptsTrailers: boolean;
  /** True when the connection can take another request after this one. */
  readonly keepsConnection: boolean;
}

/**
 * Reads a request head, a text up to the CRLF of its last line, by the grammar of RFC 9112 and within the limits.
 *
 * @returns the request without hop-by-hop fields, or why it is refused
 */
export function readRequest(text: string, limits: HeadLimits): ReadRequest | Refusal {
  const lineEnd = text.indexOf('\r\n');
  const line = readRequestLine(text.slice(0, lineEnd));
  if ('status' in line) return line;
  const rawHeaders = isMalformedHead(text) ? undefined : readFieldLines(text, lineEnd + 2);
  if (!rawHeaders) return { status: 400, reason: 'The header fields are not valid' };
  const { method, url, version } = line;
  if (url.length > limits.maxUriBytes) return { status: 414, reason: 'The request target is too long' };
  const methodRefusal = refuseMethod(method);
  if (methodRefusal) return methodRefusal;
  const found = readFields(rawHeaders, limits);
  if ('status' in found) return found;
  if (found.isChunked && version === '1.0') return { status: 400, reason: 'HTTP/1.0 knows no Transfer-Encoding' };
  if (found.host === undefined ? version === '1.1' : !isValidAuthority(found.host)) {
    return { status: 400, reason: 'The Host field is not valid' };
  }
  if (found.expectation !== undefined && found.expectation.toLowerCase() !== '100-continue') {
    return { status: 417, reason: 'The expectation is not known' };
  }
  const target = readTarget(url, method);
  if ('status' in target) return target;
  const hasBody = found.isChunked || (found.length ?? 0) > 0;
  const headers = found.needsCopy ? copyHeaders(rawHeaders) : rawHeaders;
  if (target.authority !== undefined) replaceHost(headers, target.authority);
  return {
    method,
    version,
    target: target.target,
    headers,
    hasBody,
    bodyLength: found.isChunked ? undefined : (found.length ?? 0),
    trailer: found.trailer,
    acceptsTrailers: found.acceptsTrailers,
    upgrade: !hasBody && version === '1.1' && found.saysUpgrade ? found.upgrade : undefined,
    expectsContinue: hasBody && version === '1.1' && found.expectation !== undefined,
    keepsConnection: version === '1.1' ? !found.saysClose : found.saysKeepAlive && !found.saysClose,
  };
}

/** What is wrong with a head of which the end has not come; undefined while it can still become a request. */
export function refusePart(text: string, { maxHeaderBytes, maxUriBytes }: HeadLimits): Refusal | undefined {
  const lineEnd = text.indexOf('\r\n');
  if (cannotBegin(text.slice(0, 32)) || isMalformedHead(text)) {
    return { status: 400, reason: 'This is not an HTTP request' };
  }
  if (lineEnd >= 0) {
    const line = readRequestLine(text.slice(0, lineEnd));
    if ('status' in line) return line;
  } else if (text.length > maxUriBytes + methodBytes) {
    return { status: 414, reason: 'The request target is too long' };
  }
  const isTooLong = text.length > maxHeaderBytes + maxUriBytes;
  return isTooLong ? { status: 431, reason: 'The header fields are too large' } : undefined;
}

interface Fields {
  host: string | undefined;
  length: number | undefined;
  isChunked: boolean;
  expectation: string | undefined;
  upgrade: string | undefined;
  trailer: string | undefined;
  acceptsTrailers: boolean;
  saysUpgrade: boolean;
  saysClose: boolean;
  saysKeepAlive: boolean;
  needsCopy: boolean;
}

function readFields(rawHeaders: readonly string[], limits: HeadLimits): Fields | Refusal {
  const fields: Fields = {
    host: undefined,
    length: undefined,
    isChunked: false,
    expectation: undefined,
    upgrade: undefined,
    trailer: undefined,
    acceptsTrailers: false,
    saysUpgrade: false,
    saysClose: false,
    saysKeepAlive: false,
    needsCopy: false,
  };
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
        else if (fields.length !== undefined) return { status: 400, reason: 'There are two Content-Length fields' };
        else if (/^\d{1,15}$/.test(value)) fields.length = Number(value);
        else return { status: 400, reason: 'The Content-Length is not valid' };
        break;
      case 17:
        fields.needsCopy = true;
        if (name.toLowerCase() !== 'transfer-encoding') break;
        if (fields.isChunked || value.toLowerCase() !== 'chunked') {
          return { status: 400, reason: 'The Transfer-Encoding is not known' };
        }
        fields.isChunked = true;
        break;
      case 6:
        if (name.toLowerCase() === 'expect') fields.expectation = value;
        break;
      case 10:
        fields.needsCopy = true;
        if (name.toLowerCase() !== 'connection') break;
        fields.saysUpgrade ||= hasToken(value, 'upgrade');
        fields.saysClose ||= hasToken(value, 'close');
        fields.saysKeepAlive ||= hasToken(value, 'keep-alive');
        break;
      case 7:
        fields.needsCopy = true;
        if (name.toLowerCase() === 'upgrade') fields.upgrade = value;
        else if (name.toLowerCase() === 'trailer') fields.trailer = value;
        break;
      case 2:
        fields.needsCopy = true;
        fields.acceptsTrailers ||= name.toLowerCase() === 'te' && hasToken(value, 'trailers');
        break;
      // The lengths of the names of other hop-by-hop fields.
      case 16:
      case 18:
      case 19:
        fields.needsCopy = true;
        break;
      default:
        break;
    }
  }
  if (fields.isChunked && fields.length !== undefined) {
    return { status: 400, reason: 'There are both Content-Length and Transfer-Encoding' };
  }
  return size > limits.maxHeaderBytes ? { status: 431, reason: 'The header fields are too large' } : fields;
}

/** The authority of an absolute target counts, whatever Host said (RFC 9112, 3.2.2). */
function replaceHost(headers: HeaderList, authority: string): void {
  const index = headers.findIndex((name, position) => position % 2 === 0 && name.toLowerCase() === 'host');
  if (index < 0) headers.unshift('Host', authority);
  else headers[index + 1] = authority;
}
