import type { HeaderList } from '#message';
import { copyHeaders, hasToken } from '../hop-by-hop.ts';
import { isMalformedHead, readFieldLines } from './field-lines.ts';

/** What a sender needs to know of the head of a response. */
export interface ReadResponse {
  readonly status: number;
  readonly reason: string;
  /** Without hop-by-hop fields. */
  readonly headers: HeaderList;
  /** `none`, a length, `chunks`, or `close` when the end of the connection ends the body (RFC 9112, 6.3). */
  readonly framing: 'none' | 'length' | 'chunks' | 'close';
  readonly length: number | undefined;
  /** The names of fields behind the body. */
  readonly trailer: string | undefined;
  /** True when the connection can be used again after this response. */
  readonly keepsConnection: boolean;
  /** Milliseconds for which the far end says it keeps the connection. */
  readonly keepAlive: number | undefined;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/;

/**
 * Reads a response head, a text up to the CRLF of its last line, by the grammar of RFC 9112.
 *
 * @returns the head, or what is wrong with it
 */
export function readResponse(text: string, method: string): ReadResponse | string {
  const lineEnd = text.indexOf('\r\n');
  const line = statusLine.exec(text.slice(0, lineEnd));
  if (!line) return 'the status line is not valid';
  const fields = isMalformedHead(text) ? undefined : readFieldLines(text, lineEnd + 2);
  if (!fields) return 'the header fields are not valid';
  const status = Number(line[2]);
  const found = readFraming(fields);
  if (typeof found === 'string') return found;
  const isOld = line[1] === '0';
  if (found.isChunked && isOld) return 'HTTP/1.0 knows no Transfer-Encoding';
  const { length, trailer, saysClose, saysKeepAlive, keepAlive } = found;
  const hasNone = method === 'HEAD' || status < 200 || status === 204 || status === 304 || length === 0;
  const framing = hasNone ? 'none' : found.isChunked ? 'chunks' : length === undefined ? 'close' : 'length';
  const keepsConnection = framing !== 'close' && (isOld ? saysKeepAlive && !saysClose : !saysClose);
  const headers = found.needsCopy ? copyHeaders(fields) : fields;
  return { status, reason: line[3] ?? '', headers, framing, length, trailer, keepsConnection, keepAlive };
}

interface Framing {
  length: number | undefined;
  trailer: string | undefined;
  isChunked: boolean;
  saysClose: boolean;
  saysKeepAlive: boolean;
  keepAlive: number | undefined;
  needsCopy: boolean;
}

function readFraming(fields: Readonly<HeaderList>): Framing | string {
  const found: Framing = {
    length: undefined,
    trailer: undefined,
    isChunked: false,
    saysClose: false,
    saysKeepAlive: false,
    keepAlive: undefined,
    needsCopy: false,
  };
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index] ?? '';
    const value = fields[index + 1] ?? '';
    switch (name.length) {
      case 14:
        if (name.toLowerCase() !== 'content-length') break;
        if (found.length !== undefined || !/^\d{1,15}$/.test(value)) return 'the Content-Length is not valid';
        found.length = Number(value);
        break;
      case 17:
        found.needsCopy = true;
        if (name.toLowerCase() !== 'transfer-encoding') break;
        if (found.isChunked || value.toLowerCase() !== 'chunked') return 'the Transfer-Encoding is not known';
        found.isChunked = true;
        break;
      case 10:
        found.needsCopy = true;
        if (name.toLowerCase() === 'connection') readConnection(found, value);
        else if (name.toLowerCase() === 'keep-alive') found.keepAlive = secondsIn(value);
        break;
      case 7:
        found.needsCopy = true;
        if (name.toLowerCase() === 'trailer') found.trailer = value;
        break;
      // The lengths of the names of other hop-by-hop fields.
      case 2:
      case 16:
      case 18:
      case 19:
        found.needsCopy = true;
        break;
      default:
        break;
    }
  }
  return found.isChunked && found.length !== undefined ? 'there are both Content-Length and Transfer-Encoding' : found;
}

function readConnection(found: Framing, value: string): void {
  found.saysClose ||= hasToken(value, 'close');
  found.saysKeepAlive ||= hasToken(value, 'keep-alive');
}

/** The `timeout` of a `Keep-Alive` field in milliseconds. */
function secondsIn(value: string): number | undefined {
  const seconds = /(?:^|[\s,;])timeout\s*=\s*(\d{1,9})/i.exec(value)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
