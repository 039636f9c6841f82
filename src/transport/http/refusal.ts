import { MillraceError } from '#errors';
import { reasonPhrase } from './reason-phrase.ts';

/** Why a request is answered by the transport itself and its connection closed. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** The whole answer of a refusal as it goes on a connection for which no response object exists. */
export function refusalText({ status, reason }: Refusal): string {
  return [
    `HTTP/1.1 ${status} ${reasonPhrase(status)}`,
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(reason)}`,
    ...(status === 405 ? [`Allow: ${allowedMethods}`] : []),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    reason,
  ].join('\r\n');
}

/** Methods that reach the runtime, as an `Allow` field. */
export const allowedMethods = 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS';

const knownMethods: ReadonlySet<string> = new Set(allowedMethods.split(', '));

/** TRACE and CONNECT are refused with 405, methods that nobody handles with 501. */
export function refuseMethod(method: string): Refusal | undefined {
  if (knownMethods.has(method)) return undefined;
  return method === 'TRACE' || method === 'CONNECT'
    ? { status: 405, reason: `The method ${method} is not allowed` }
    : { status: 501, reason: 'The method is not known' };
}

/** What the reader of a request body learns when the client left before its end. */
export function clientGoneError(): MillraceError {
  return new MillraceError({
    code: 'MR_HTTP_CLIENT_GONE',
    status: 400,
    message: 'The client went away before its request was complete',
  });
}
