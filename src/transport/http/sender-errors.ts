import { protocolStates, synapseCodes, type ProtocolState } from '#errors';
import { TransportError } from '../contract.ts';

/** Texts that flows of the original compare with. */
const messages = {
  connect: 'Error connecting to the back end',
  exchange: 'Error in Sender',
} as const;

/** The failure of a connection that could not be established. */
export function connectError(origin: string, cause: Error): TransportError {
  const code = 'code' in cause ? cause.code : undefined;
  const isLate = code === 'ETIMEDOUT';
  return new TransportError({
    baseCode: isLate ? synapseCodes.connectTimeout : synapseCodes.connectionFailed,
    state: protocolStates.requestReady,
    message: messages.connect,
    detail: `${origin}: ${cause.message || String(code)}`,
    cause,
  });
}

/** No connection within the time for it. */
export function connectTimeoutError(origin: string, milliseconds: number): TransportError {
  return new TransportError({
    baseCode: synapseCodes.connectTimeout,
    state: protocolStates.requestReady,
    message: messages.connect,
    detail: `${origin}: no connection within ${milliseconds} ms`,
  });
}

/** An exchange in which nothing moved for too long. */
export function timeoutError(origin: string, state: ProtocolState, milliseconds: number): TransportError {
  return exchangeError(synapseCodes.connectionTimedOut, state, {
    detail: `${origin}: nothing came for ${milliseconds} ms`,
  });
}

/** An exchange of which the connection ended too early. */
export function closedError(origin: string, state: ProtocolState, cause?: Error): TransportError {
  const reason = cause?.message ?? 'the back end closed the connection';
  return exchangeError(synapseCodes.connectionClosed, state, { detail: `${origin}: ${reason}`, cause });
}

/** The failure of an exchange that was given up on this side. */
export function abortedError(origin: string, cause?: unknown): TransportError {
  return exchangeError(synapseCodes.sendAborted, protocolStates.requestReady, { detail: `${origin}: given up`, cause });
}

/** A request with a part that cannot be put on the wire. */
export function invalidRequestError(origin: string): TransportError {
  const detail = `${origin}: the method, the target or a header field cannot be sent`;
  return exchangeError(synapseCodes.senderIoSending, protocolStates.requestReady, { detail });
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

/** A response that breaks the protocol. */
export function violationError(origin: string, state: ProtocolState, reason: string): TransportError {
  return exchangeError(synapseCodes.protocolViolation, state, { detail: `${origin}: ${reason}` });
}

function exchangeError(
  baseCode: number,
  state: ProtocolState,
  { detail, cause }: { detail: string; cause?: unknown },
): TransportError {
  const facts = { baseCode, state, message: messages.exchange, detail };
  return new TransportError(cause === undefined ? facts : { ...facts, cause });
}
