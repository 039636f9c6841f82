import { getLogger } from '#core';
import { protocolStates, synapseCodes, toError } from '#errors';
import type { Message } from '#message';
import {
  connectWebSocket,
  TransportError,
  type Exchange,
  type OutgoingRequest,
  type ResponseHandler,
  type WebSocketLink,
  type WebSocketTarget,
} from '#transport';
import { textOfValue } from '../shared/typed-value.ts';
import { waitingClientOf, type WaitingClient } from './client.ts';
import { frameOfRequest, type FrameSink } from './frame-message.ts';
import { joinLinks } from './join.ts';
import { Outflow, type CurrentWorld } from './outflow.ts';
import type { WebSocketSettings } from './settings.ts';

const log = getLogger('mediation.ws');

/** Connections that are kept for messages without a WebSocket of their client; what needs one more fails. */
const maximumKept = 1_000;
const abnormal = 1006;
const customHeader = 'websocket.custom.header.';

/** Takes what became of a message to a WebSocket. */
export interface WebSocketHandler extends ResponseHandler {
  /** It was sent, or its client joined with the back end: no answer follows. */
  onSent(): void;
}

/** Sends messages to back ends that speak WebSocket. */
export interface WebSocketSender extends AsyncDisposable {
  send(message: Message, request: OutgoingRequest, handler: WebSocketHandler): Exchange;
  /** Ends every connection with 1001 and waits, but not longer than `milliseconds`. */
  drain(milliseconds: number): Promise<void>;
}

export interface WebSocketSenderOptions {
  readonly settings: WebSocketSettings;
  readonly world: () => CurrentWorld;
}

/**
 * Makes the sender for `ws://` and `wss://` addresses. The first message of a client that asked for a WebSocket joins
 * it with the back end; any other message goes out as a frame, over a connection that is kept for its address.
 */
export function createWebSocketSender(options: WebSocketSenderOptions): WebSocketSender {
  return new Sockets(options);
}

class Sockets implements WebSocketSender {
  readonly #options: WebSocketSenderOptions;
  readonly #kept = new Map<string, Promise<WebSocketLink>>();
  readonly #links = new Set<WebSocketLink>();
  #isClosing = false;

  constructor(options: WebSocketSenderOptions) {
    this.#options = options;
  }

  send(message: Message, request: OutgoingRequest, handler: WebSocketHandler): Exchange {
    const refusal = this.#refusalOf(request);
    if (refusal) {
      handler.onError(refusal);
      return { abort: () => undefined };
    }
    const client = waitingClientOf(message.exchange);
    if (client) return this.#join(client, targetOf(message, request, client), handler);
    this.#sendFrame(message, request).then(
      () => handler.onSent(),
      (error: unknown) => handler.onError(errorOf(request, error)),
    );
    return { abort: () => undefined };
  }

  async drain(milliseconds: number): Promise<void> {
    this.#isClosing = true;
    for (const link of this.#links) link.close({ code: 1001, reason: 'The server stops' });
    const until = performance.now() + milliseconds;
    while (this.#links.size > 0 && performance.now() < until) {
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
    for (const link of this.#links) link.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain(0);
  }

  /** Opens the back end of a client and joins the two. */
  #join(client: WaitingClient, target: WebSocketTarget, handler: WebSocketHandler): Exchange {
    const { settings } = this.#options;
    const scheme = settings.schemes[schemeOf(target.origin)];
    return connectWebSocket(
      target,
      { ...scheme, limits: settings.limits },
      {
        onOpen: (backEnd) => {
          const link = client.accept(backEnd.protocol === '' ? undefined : backEnd.protocol, settings.limits);
          if (!link) {
            backEnd.close({ code: 1001, reason: 'The client is gone' });
            handler.onError(errorOf({ origin: target.origin }, new Error('the client is gone')));
            return;
          }
          const outflow = this.#outflow(target, (frame) => sendWhole(link, frame));
          this.#links.add(link).add(backEnd);
          joinLinks(link, backEnd, {
            outflow,
            onClosed: ({ code }) => {
              this.#links.delete(link);
              this.#links.delete(backEnd);
              if (code === abnormal) outflow.broke('the back end broke the connection off');
            },
          });
          if (this.#isClosing) backEnd.close({ code: 1001, reason: 'The server stops' });
          handler.onSent();
        },
        onRefused: (response) => handler.onResponse(response),
        onError: (error) => handler.onError(error),
      },
    );
  }

  async #sendFrame(message: Message, request: OutgoingRequest): Promise<void> {
    const { maxPayloadBytes } = this.#options.settings.limits;
    const frame = await frameOfRequest(message, request, maxPayloadBytes);
    const key = `${request.origin}${request.target}`;
    if (textOfValue(message.property('default', 'connection.terminate')) === 'true') {
      await this.#end(key);
      return;
    }
    const link = await this.#linkTo(key, targetOf(message, request, undefined));
    if (frame) await sendWhole(link, frame);
  }

  async #end(key: string): Promise<void> {
    const link = await this.#kept.get(key);
    link?.close({ code: 1000, reason: '' });
  }

  #linkTo(key: string, target: WebSocketTarget): Promise<WebSocketLink> {
    const kept = this.#kept.get(key);
    if (kept) return kept;
    if (this.#kept.size >= maximumKept) {
      return Promise.reject(new Error(`${maximumKept} WebSocket connections are open already`));
    }
    const opening = this.#open(key, target);
    this.#kept.set(key, opening);
    opening.catch(() => this.#kept.delete(key));
    return opening;
  }

  #open(key: string, target: WebSocketTarget): Promise<WebSocketLink> {
    const { settings } = this.#options;
    const scheme = settings.schemes[schemeOf(target.origin)];
    return new Promise((resolve, reject) => {
      connectWebSocket(
        target,
        { ...scheme, limits: settings.limits },
        {
          onOpen: (link) => {
            const outflow = this.#outflow(target, undefined);
            this.#links.add(link);
            link.start({
              received: (frame) => outflow.take(frame, link),
              drained: () => undefined,
              closed: ({ code }) => {
                this.#links.delete(link);
                this.#kept.delete(key);
                if (code === abnormal) outflow.broke('the back end broke the connection off');
              },
            });
            resolve(link);
          },
          onRefused(response) {
            response.body?.cancel();
            reject(new Error(`the handshake was answered with ${response.status} ${response.reason}`));
          },
          onError: reject,
        },
      );
    });
  }

  #outflow({ origin, target }: WebSocketTarget, sink: FrameSink | undefined): Outflow {
    const { settings, world } = this.#options;
    const scheme = settings.schemes[schemeOf(origin)];
    return new Outflow({ world, scheme, limits: settings.limits, url: `${origin}${target.split('?', 1)[0]}`, sink });
  }

  #refusalOf({ origin }: OutgoingRequest): TransportError | undefined {
    const scheme = schemeOf(origin);
    if (this.#options.settings.schemes[scheme].isEnabled) {
      return this.#isClosing ? errorOf({ origin }, new Error('the server stops')) : undefined;
    }
    const off = `the sender for ${scheme}:// is off; set [transport.${scheme}] sender.enable = true`;
    return errorOf({ origin }, new Error(off));
  }
}

/** What is asked of the back end: the headers of the message, and the subprotocols of its client or of a property. */
function targetOf(
  message: Message,
  { origin, target, headers }: OutgoingRequest,
  client: WaitingClient | undefined,
): WebSocketTarget {
  const wanted = textOfValue(
    message.property('default', 'websocket.subprotocol') ?? message.axis2.get('websocket.subprotocol'),
  );
  const own = wanted
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const custom = [...message.properties, ...message.axis2]
    .filter(([name]) => name.startsWith(customHeader))
    .flatMap(([name, value]) => [name.slice(customHeader.length), textOfValue(value)]);
  const fields = client ? headers : headers.filter((_, index) => !/^content-/i.test(headers[index & ~1] ?? ''));
  const protocols = own.length > 0 ? own : (client?.handshake.protocols ?? []);
  return { origin, target, headers: [...fields, ...custom], protocols };
}

/** Resolves when the system has taken the frame, so that whoever makes frames keeps the pace of who reads them. */
function sendWhole(link: WebSocketLink, frame: Parameters<WebSocketLink['send']>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    link.send(frame, (error) => (error ? reject(error) : resolve()));
  });
}

function schemeOf(origin: string): 'ws' | 'wss' {
  return /^wss:/i.test(origin) ? 'wss' : 'ws';
}

function errorOf({ origin }: Pick<OutgoingRequest, 'origin'>, error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  const cause = toError(error);
  log.debug({ origin, error: cause.message }, 'a message could not be sent to a WebSocket');
  return new TransportError({
    baseCode: synapseCodes.senderIoSending,
    state: protocolStates.requestReady,
    message: 'Error in Sender',
    detail: `${origin}: ${cause.message}`,
    cause,
  });
}
