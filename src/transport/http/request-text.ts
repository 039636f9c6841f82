import type { Body } from '#message';
import type { OutgoingRequest } from '../contract.ts';
import { sentHeaders } from '../hop-by-hop.ts';
import { announcementOf } from '../trailers.ts';
import { isToken, writeFieldLines } from './field-lines.ts';

const sendableTarget = /^[\x21-\x7e\x80-\xff]+$/;
/** Methods of which a request without a body says so (RFC 9110, 8.6). */
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export interface RequestTextOptions {
  readonly target: string;
  readonly body: Body;
  /** `Host` where the request has none. */
  readonly host: string;
  /** Lines that the way to the origin needs, each with its CRLF. */
  readonly extraLines: string;
  readonly closes: boolean;
}

/**
 * The head of a request as it goes on the wire, with its framing.
 *
 * @returns undefined when some part of it cannot be sent
 */
export function writeRequestHead(request: OutgoingRequest, options: RequestTextOptions): string | undefined {
  const { method } = request;
  const { target, body, extraLines } = options;
  if (!isToken(method) || !isSendableTarget(target)) return undefined;
  const fields = sentHeaders(request.headers);
  const lines = writeFieldLines(fields);
  if (lines === undefined) return undefined;
  const host = hasHost(fields) ? '' : `Host: ${options.host}\r\n`;
  const connection = connectionLines(options.closes, request.acceptsTrailers === true);
  const announced = announcementOf(body);
  const trailer = announced === '' ? '' : `Trailer: ${announced}\r\n`;
  return `${method} ${target} HTTP/${request.version ?? '1.1'}\r\n${host}${lines}${extraLines}${connection}${trailer}${framingLine(method, body)}\r\n`;
}

/** True for a target that a request can have on the wire. */
export function isSendableTarget(target: string): boolean {
  return sendableTarget.test(target);
}

/** What concerns this connection alone (RFC 9110, 10.1.4). */
function connectionLines(closes: boolean, acceptsTrailers: boolean): string {
  if (!acceptsTrailers) return closes ? 'Connection: close\r\n' : '';
  return `TE: trailers\r\nConnection: ${closes ? 'close, TE' : 'TE'}\r\n`;
}

function framingLine(method: string, body: Body): string {
  if (body === null) return bodyMethods.has(method) ? 'Content-Length: 0\r\n' : '';
  return body.length === undefined ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${body.length}\r\n`;
}

function hasHost(fields: readonly string[]): boolean {
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') return true;
  }
  return false;
}
