import { protocolStates, synapseCodes, type ProtocolState } from '#errors';
import { TransportError } from '../contract.ts';

/** Texts that flows of the original compare with. */
const messages = {
  connect: 'Error connecting to the back end',
  exchange: 'Error in Sender',
} as const;

/** Bytes that a connection had received when it failed, by the error that ended it. */
const bytesReadBefore = new WeakMap<Error, number>();

/** Remembers how much a connection had received before `error` ended it. */
export function rememberBytesRead(error: Error, bytesRead: number): void {
  bytesReadBefore.set(error, bytesRead);
}

/** True when the far end closed a connection that had served an earlier exchange: the keep-alive ran out there. */
export function isStaleConnection(error: Error): boolean {
  if (!closedCodes.has(codeOf(error))) return false;
  const socket: unknown = 'socket' in error ? error.socket : undefined;
  const told = typeof socket === 'object' && socket !== null && 'bytesRead' in socket ? socket.bytesRead : undefined;
  const bytesRead = typeof told === 'number' ? told : bytesReadBefore.get(error);
  return bytesRead !== undefined && bytesRead > 0;
}

const closedCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ECONNABORTED']);
const timeoutCodes: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const connectTimeoutCodes: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const invalidCodes: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

const violationNames: ReadonlySet<string> = new Set([
  'HTTPParserError',
  'HeadersOverflowError',
  'ResponseContentLengthMismatchError',
]);

/** Maps a failure of the wire engine to the original's codes (base code and state of the protocol). */
export function toTransportError(cause: Error, state: ProtocolState, origin: string): TransportError {
  if (cause instanceof TransportError) return cause;
  const code = codeOf(cause);
  const facts = { detail: `${origin}: ${cause.message || code}`, cause };
  if (invalidCodes.has(code)) {
    return new TransportError({ baseCode: synapseCodes.senderIoSending, state, message: messages.exchange, ...facts });
  }
  if (state === protocolStates.requestReady) {
    const baseCode = connectTimeoutCodes.has(code) ? synapseCodes.connectTimeout : synapseCodes.connectionFailed;
    return new TransportError({ baseCode, state, message: messages.connect, ...facts });
  }
  return new TransportError({ baseCode: baseCodeOf(cause, state), state, message: messages.exchange, ...facts });
}

/** The failure of an exchange that was given up on this side. */
export function abortedError(origin: string, cause?: unknown): TransportError {
  return new TransportError({
    baseCode: synapseCodes.sendAborted,
    state: protocolStates.requestReady,
    message: messages.exchange,
    detail: `${origin}: given up`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The failure of an exchange for which no connection was or became free. */
export function noConnectionError(origin: string, reason: string): TransportError {
  return new TransportError({
    baseCode: synapseCodes.connectionTimedOut,
    state: protocolStates.requestReady,
    message: messages.connect,
    detail: `${origin}: ${reason}`,
  });
}

/** A response that breaks the protocol in a way which the parser lets pass. */
export function violationError(origin: string, reason: string): TransportError {
  return new TransportError({
    baseCode: synapseCodes.protocolViolation,
    state: protocolStates.responseHead,
    message: messages.exchange,
    detail: `${origin}: ${reason}`,
  });
}

function baseCodeOf(cause: Error, state: ProtocolState): number {
  const code = codeOf(cause);
  if (timeoutCodes.has(code)) return synapseCodes.connectionTimedOut;
  if (closedCodes.has(code)) return synapseCodes.connectionClosed;
  // Undici reports it for heads that contradict themselves and for bodies that end early.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && state === protocolStates.responseBody) {
    return synapseCodes.connectionClosed;
  }
  if (violationNames.has(cause.name)) return synapseCodes.protocolViolation;
  return state <= protocolStates.requestDone ? synapseCodes.senderIoSending : synapseCodes.senderIoReceiving;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
