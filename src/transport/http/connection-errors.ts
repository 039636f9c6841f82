import type { Socket } from 'node:net';
import { getLogger } from '#core';
import { MillraceError } from '#errors';
import type { Connections } from './connections.ts';
import { clientGoneError } from './request-body.ts';
import { refusalText, type Refusal } from './refusal.ts';

const log = getLogger('transport.http');
/** How long a client may take to read a refusal before its connection is destroyed. */
const lingerMilliseconds = 1_000;

/** What the parser of Node reports: a code and the bytes that it refused. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/**
 * Ends a connection on which no further message can be understood. A request whose body breaks off fails for its
 * reader, so that nobody takes it for complete.
 */
export function refuseConnection(error: ParserError, socket: Socket, connections: Connections): void {
  const connection = connections.of(socket);
  if (connection.isRefused) return;
  connection.isRefused = true;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error);
  log.debug({ peer: connection.peer.address, status: refusal.status, cause: error.code }, 'request refused');
  const current = connection.exchanges[0];
  current?.body?.fail(
    error.code === 'HPE_INVALID_EOF_STATE'
      ? clientGoneError(error)
      : new MillraceError({
          code: 'MR_HTTP_BAD_REQUEST',
          status: refusal.status,
          message: refusal.reason,
          cause: error,
        }),
  );
  if (current?.responder.isWritten) {
    socket.end();
  } else if (current?.responder.finished) {
    socket.destroy();
    return;
  } else {
    socket.end(refusalText(refusal));
  }
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}

function refusalOf({ code, rawPacket }: ParserError): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, reason: 'The request was not complete in time' };
    case 'HPE_HEADER_OVERFLOW':
      return rawPacket && !rawPacket.includes('\r\n')
        ? { status: 414, reason: 'The request target is too long' }
        : { status: 431, reason: 'The header fields are too large' };
    case 'HPE_INVALID_METHOD':
      // A name that could be a method is unknown; anything else is no HTTP.
      return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ /.test(rawPacket?.toString('latin1') ?? '')
        ? { status: 501, reason: 'The method is not known' }
        : { status: 400, reason: 'This is not an HTTP request' };
    default:
      return { status: 400, reason: 'The request is not valid HTTP' };
  }
}
