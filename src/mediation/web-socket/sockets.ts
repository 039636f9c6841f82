import { getLogger } from '#core';
import { protocolStates, synapseCodes, toError } from '#errors';
import type { Message } from '#message';
import {
  closeForBackEnd,
  connectWebSocket,
  TransportError,
  type Exchange,
  type IncomingResponse,
  type OutgoingRequest,
  type ResponseHandler,
  type WebSocketLink,
  type WebSocketTarget,
} from '#transport';
import { isTrue } from '../outgoing-body.ts';
import { sourceHandshake, waitingClientOf, type WaitingClient } from './client.ts';
import { closeOf, saysTerminate } from './close-message.ts';
import { frameClientOf, type FrameClient } from './frame-client.ts';
import { frameOfRequest, type FrameSink } from './frame-message.ts';
import { joinLinks } from './join.ts';
import { OpenLinks } from './open-links.ts';
import { Outflow, type CurrentWorld } from './outflow.ts';
import type { WebSocketSettings } from './settings.ts';
import { schemeOf, targetOf } from './target.ts';

const log = getLogger('mediation.ws');

/** Connections that are kept for messages without a WebSocket of their client; what needs one more fails. */
const maximumKept = 1_000;
/** Connections to back ends that one client may have. */
const maximumOfClient = 16;
const abnormal = 1006;

/** Where a connection is kept, and whose it is. */
interface Keeping {
  readonly kept: Map<string, Promise<WebSocketLink>>;
  readonly owner: FrameClient | undefined;
}

/** Who gets the frames of a back end. */
interface Receiver {
  readonly sink: FrameSink | undefined;
  readonly owner?: FrameClient | undefined;
}

/** A back end that answered the handshake without speaking WebSocket. */
class Refusal extends Error {
  readonly response: IncomingResponse;

  constructor(response: IncomingResponse) {
    super(`the handshake was answered with ${response.status} ${response.reason}`);
    this.response = response;
  }
}

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
  readonly #links = new OpenLinks();

  constructor(options: WebSocketSenderOptions) {
    this.#options = options;
  }

  send(message: Message, request: OutgoingRequest, handler: WebSocketHandler): Exchange {
    const refusal = this.#refusalOf(request);
    if (refusal) {
      handler.onError(refusal);
      return { abort: () => undefined };
    }
    const owner = frameClientOf(message.exchange);
    const client = owner ? undefined : waitingClientOf(message.exchange);
    if (client) return this.#join(client, targetOf(message, request, client), handler);
    this.#sendFrame(message, request, owner).then(
      () => handler.onSent(),
      (error: unknown) => {
        const isHandshake = owner && isTrue(message.property('default', sourceHandshake));
        if (isHandshake && error instanceof Refusal) handler.onResponse(error.response);
        else {
          if (error instanceof Refusal) error.response.body?.cancel();
          handler.onError(errorOf(request, error));
        }
      },
    );
    return { abort: () => undefined };
  }

  drain(milliseconds: number): Promise<void> {
    return this.#links.drain(milliseconds);
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
          const outflow = this.#outflow(target, {
            sink: { send: (frame) => sendWhole(link, frame), end: (facts) => link.close(facts) },
          });
          joinLinks(link, backEnd, {
            outflow,
            onClosed: ({ code }) => {
              this.#links.delete(link, backEnd);
              if (code === abnormal) outflow.broke('the back end broke the connection off');
            },
          });
          this.#links.add(link, backEnd);
          handler.onSent();
        },
        onRefused: (response) => handler.onResponse(response),
        onError: (error) => handler.onError(error),
      },
    );
  }

  async #sendFrame(message: Message, request: OutgoingRequest, owner: FrameClient | undefined): Promise<void> {
    const { maxPayloadBytes } = this.#options.settings.limits;
    const frame = await frameOfRequest(message, request, maxPayloadBytes);
    const key = `${request.origin}${request.target}`;
    const kept = owner?.backEnds ?? this.#kept;
    if (saysTerminate(message)) {
      const link = await kept.get(key);
      link?.close(closeForBackEnd(closeOf(message)));
      return;
    }
    const link = await this.#linkTo(key, targetOf(message, request, owner), { kept, owner });
    if (frame) await sendWhole(link, frame);
  }

  #linkTo(key: string, target: WebSocketTarget, { kept, owner }: Keeping): Promise<WebSocketLink> {
    const known = kept.get(key);
    if (known) return known;
    if (kept.size >= (owner ? maximumOfClient : maximumKept)) {
      return Promise.reject(new Error(`${kept.size} WebSocket connections are open already`));
    }
    const opening = this.#open(key, target, { kept, owner });
    kept.set(key, opening);
    opening.catch(() => kept.delete(key));
    return opening;
  }

  #open(key: string, target: WebSocketTarget, { kept, owner }: Keeping): Promise<WebSocketLink> {
    const { settings } = this.#options;
    const scheme = settings.schemes[schemeOf(target.origin)];
    return new Promise((resolve, reject) => {
      connectWebSocket(
        target,
        { ...scheme, limits: settings.limits },
        {
          onOpen: (link) => {
            const outflow = this.#outflow(target, { sink: owner, owner });
            link.start({
              received: (frame) => outflow.take(frame, link),
              drained: () => undefined,
              closed: (facts) => {
                this.#links.delete(link);
                kept.delete(key);
                if (facts.code === abnormal) outflow.broke('the back end broke the connection off');
                owner?.backEndEnded(facts);
              },
            });
            this.#links.add(link);
            if (owner) outflow.opened();
            resolve(link);
          },
          onRefused: (response) => reject(new Refusal(response)),
          onError: reject,
        },
      );
    });
  }

  #outflow({ origin, target }: WebSocketTarget, { sink, owner }: Receiver): Outflow {
    const { settings, world } = this.#options;
    const own = settings.schemes[schemeOf(origin)];
    const scheme = {
      ...own,
      outflow: owner?.outflow ?? own.outflow,
      outflowFault: owner?.outflowFault ?? own.outflowFault,
    };
    const url = `${origin}${target.split('?', 1)[0]}`;
    const describe = owner && ((message: Message) => owner.describe(message));
    return new Outflow({ world, scheme, limits: settings.limits, url, sink, describe });
  }

  #refusalOf({ origin }: OutgoingRequest): TransportError | undefined {
    const scheme = schemeOf(origin);
    if (this.#options.settings.schemes[scheme].isEnabled) {
      return this.#links.isClosing ? errorOf({ origin }, new Error('the server stops')) : undefined;
    }
    const off = `the sender for ${scheme}:// is off; set [transport.${scheme}] sender.enable = true`;
    return errorOf({ origin }, new Error(off));
  }
}

/** Resolves when the system has taken the frame, so that whoever makes frames keeps the pace of who reads them. */
export function sendWhole(link: WebSocketLink, frame: Parameters<WebSocketLink['send']>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    link.send(frame, (error) => (error ? reject(error) : resolve()));
  });
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
