import { WebSocket } from 'ws';
import { protocolStates } from '#errors';
import { bodySourceOf, type HeaderList } from '#message';
import { TransportError, type Exchange, type IncomingResponse } from '../contract.ts';
import { copyHeaders, sentHeaders } from '../hop-by-hop.ts';
import { fieldsByName } from '../trailers.ts';
import { openSocket } from '../http/connector.ts';
import { placeOfOrigin } from '../http/origin-place.ts';
import type { ProxySelector } from '../http/proxy.ts';
import { abortedError, connectError, connectTimeoutError, violationError } from '../http/sender-errors.ts';
import { tlsForOrigin, type SenderTls } from '../http/sender-options.ts';
import { isHandshakeField } from './handshake.ts';
import type { WebSocketLimits } from './limits.ts';
import { WebSocketLink } from './link.ts';

/** Most bytes that are kept of an answer that is no handshake. */
const refusalBytes = 65_536;
const maximumHeadBytes = 65_536;

/** A WebSocket of a back end. */
export interface WebSocketTarget {
  /** `ws://host:port` or `wss://host:port`. */
  readonly origin: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<HeaderList>;
  readonly protocols: readonly string[];
}

export interface WebSocketConnectOptions {
  readonly limits: WebSocketLimits;
  readonly tls: SenderTls;
  readonly proxy: ProxySelector;
}

/** Takes the outcome of a handshake: one of the three, once. */
export interface WebSocketConnectHandler {
  onOpen(link: WebSocketLink): void;
  /** The back end answered without speaking WebSocket. */
  onRefused(response: IncomingResponse): void;
  onError(error: TransportError): void;
}

/** Opens a connection to a back end. */
export function connectWebSocket(
  { origin, target, headers, protocols }: WebSocketTarget,
  { limits, tls, proxy }: WebSocketConnectOptions,
  handler: WebSocketConnectHandler,
): Exchange {
  let isSettled = false;
  const settle = (tell: () => void): void => {
    if (isSettled) return;
    isSettled = true;
    tell();
  };
  const fail = (error: Error): void => settle(() => handler.onError(errorOf(origin, limits, error)));
  let socket: WebSocket;
  let giveUp = (): void => undefined;
  try {
    const { isSecure, host, port } = placeOfOrigin(origin.toLowerCase().replace(/^ws/, 'http'));
    const place = { isSecure, host, port, proxy: proxy(isSecure ? 'https' : 'http', host) };
    socket = new WebSocket(`${origin}${target}`, [...protocols], {
      headers: fieldsOf(headers),
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: limits.maxPayloadBytes,
      handshakeTimeout: limits.connectTimeout,
      maxHeaderSize: maximumHeadBytes,
      // Node calls back when the socket stands, which the declared type does not know.
      createConnection: ((_: unknown, done: (error: Error | null, opened: unknown) => void) => {
        const { connectTimeout } = limits;
        giveUp = openSocket({ ...place, connectTimeout, tls: tlsForOrigin(origin, tls) }, done);
      }) as never,
    });
  } catch (error) {
    fail(error instanceof Error ? error : new Error(String(error)));
    return { abort: () => undefined };
  }
  socket.once('open', () => {
    const link = new WebSocketLink(socket, limits);
    if (isSettled) link.terminate();
    settle(() => handler.onOpen(link));
  });
  socket.on('error', fail);
  socket.once('unexpected-response', (request, response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (): void =>
      settle(() => {
        const { statusCode = 502, statusMessage = '', rawHeaders } = response;
        const body = Buffer.concat(chunks).subarray(0, refusalBytes);
        request.destroy();
        const refused = {
          status: statusCode,
          reason: statusMessage,
          headers: copyHeaders(rawHeaders),
        };
        handler.onRefused({ ...refused, body: body.length === 0 ? null : bodySourceOf(body) });
      });
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > refusalBytes) finish();
    });
    response.on('end', finish).on('error', finish).on('close', finish);
  });
  return {
    abort() {
      settle(() => handler.onError(abortedError(origin)));
      giveUp();
      socket.terminate();
    },
  };
}

function fieldsOf(headers: Readonly<HeaderList>): Record<string, string[]> {
  const fields = Object.entries(fieldsByName(sentHeaders(headers)));
  return Object.fromEntries(fields.filter(([name]) => !isHandshakeField(name)));
}

function errorOf(origin: string, { connectTimeout }: WebSocketLimits, error: Error): TransportError {
  if (error instanceof TransportError) return error;
  if (error.message.includes('handshake has timed out')) return connectTimeoutError(origin, connectTimeout);
  return 'code' in error && !String(error.code).startsWith('HPE_')
    ? connectError(origin, error)
    : violationError(origin, protocolStates.responseHead, error.message);
}
