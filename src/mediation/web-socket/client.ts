import type { Message, MessageExchange } from '#message';
import {
  acceptWebSocket,
  type HttpRequest,
  type WebSocketHandshake,
  type WebSocketLimits,
  type WebSocketLink,
} from '#transport';

/** A client that asked for a WebSocket and waits for the answer. */
export interface WaitingClient {
  readonly handshake: WebSocketHandshake;
  /** Answers with 101; undefined when the client has another answer or is gone. */
  accept(protocol: string | undefined, limits: WebSocketLimits): WebSocketLink | undefined;
}

/** Set on the message of a client that asks for a WebSocket. */
export const sourceHandshake = 'websocket.source.handshake.present';

const waiting = new WeakMap<MessageExchange, WaitingClient>();

/** Notes that the client of a message asks for a WebSocket: a back end that speaks it may be joined with it. */
export function offerWebSocket(message: Message, request: HttpRequest, handshake: WebSocketHandshake): void {
  const { exchange, properties } = message;
  properties.set(sourceHandshake, true);
  waiting.set(exchange, {
    handshake,
    accept(protocol, limits) {
      const link = acceptWebSocket(request, handshake, { protocol, limits });
      if (link) exchange.answered = true;
      return link;
    },
  });
}

/** The client of an exchange that waits for a WebSocket. */
export function waitingClientOf(exchange: MessageExchange): WaitingClient | undefined {
  return exchange.answered ? undefined : waiting.get(exchange);
}
