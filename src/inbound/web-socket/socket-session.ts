import { randomUUID } from 'node:crypto';
import { getLogger } from '#core';
import {
  attachFrameClient,
  describeClose,
  messageOfFrame,
  runInBackground,
  sendWhole,
  STOP,
  type CurrentWorld,
  type Flow,
  type FrameClient,
} from '#mediation';
import type { Message } from '#message';
import { closeForBackEnd, closeForClient, type CloseFacts, type WebSocketFrame, type WebSocketLink } from '#transport';
import type { AgreedProtocol } from './subprotocol.ts';
import type { SocketClient } from './socket-clients.ts';
import type { SocketHost, SocketFlow } from './socket-flow.ts';
import type { FrameClientView } from './types.ts';

const log = getLogger('inbound');

/** Bytes that may wait for a client to whom others send, besides one message. */
const maximumBehind = 1_048_576;

/** One client of an endpoint: its frames are messages, one after the other (mediators 12.5). */
export class SocketSession implements FrameClient, SocketClient {
  readonly id = randomUUID();
  readonly path: string;
  readonly backEnds = new Map<string, Promise<WebSocketLink>>();
  readonly protocols: readonly string[];
  readonly #target: string;
  readonly #host: SocketHost;
  readonly #waiting: WebSocketFrame[] = [];
  /** Resolves with the connection once the client is taken, or with undefined when it is not. */
  readonly #accepted = Promise.withResolvers<WebSocketLink | undefined>();
  #link: WebSocketLink | undefined;
  #protocol: AgreedProtocol = { name: undefined, contentType: undefined };
  /** What was to be said before the client was taken. */
  #end: CloseFacts | undefined;
  #closed: CloseFacts | undefined;
  #isBusy = false;

  constructor(
    host: SocketHost,
    { target, protocols }: { readonly target: string; readonly protocols: readonly string[] },
  ) {
    this.#host = host;
    this.#target = target;
    this.path = target.split('?', 1)[0] ?? target;
    this.protocols = protocols;
  }

  get #endpoint(): SocketFlow | undefined {
    return this.#host.find(this.#host.world());
  }

  get outflow(): string | undefined {
    return this.#endpoint?.socket.outflow;
  }

  get outflowFault(): string | undefined {
    return this.#endpoint?.socket.outflowFault;
  }

  /** Notes on a message whose it is. */
  describe(message: Message): void {
    const { properties, exchange } = message;
    properties.set('isInbound', true);
    properties.set('inbound.endpoint.name', this.#host.endpoint);
    properties.set('clientId', this.id);
    properties.set('websocket.subscriber.path', this.path);
    attachFrameClient(exchange, this);
  }

  /** Begins to take frames; what the client was to get meanwhile goes out first. */
  accept(link: WebSocketLink, protocol: AgreedProtocol): void {
    this.#link = link;
    this.#protocol = protocol;
    this.#host.clients.add(this);
    this.#accepted.resolve(link);
    link.start({
      received: (frame) => this.#take(frame),
      drained: () => undefined,
      closed: (facts) => {
        this.#closed = facts;
        if (!this.#isBusy) void this.#work();
      },
    });
    if (this.#end) link.close(this.#end);
  }

  /** The client is not taken: what was opened for it is closed. */
  async refuse(): Promise<void> {
    this.#accepted.resolve(undefined);
    await this.#closeBackEnds({ code: 1001, reason: 'The client was refused' });
  }

  async beforeAnswer(message: Message): Promise<boolean> {
    const responseOut = this.#endpoint?.handlers?.responseOut;
    return !responseOut || (await responseOut(message)) !== STOP;
  }

  async send(frame: WebSocketFrame): Promise<void> {
    const level = this.#endpoint?.socket.broadcastLevel ?? 0;
    if (level > 0) return this.#host.clients.broadcast(frame, { path: this.path, level });
    return this.#sendOwn(frame);
  }

  push(frame: WebSocketFrame): void {
    const link = this.#link;
    if (!link?.isOpen) return;
    if (link.bufferedBytes > maximumBehind) {
      log.warn(
        { inbound: this.#host.endpoint, client: this.id },
        'a client does not read what others send; it is sent away',
      );
      link.terminate();
      return;
    }
    link.send(frame);
  }

  end(facts: CloseFacts): void {
    this.#end ??= facts;
    this.#link?.close(facts);
  }

  close(facts: CloseFacts): void {
    this.end(facts);
  }

  backEndEnded(facts: CloseFacts): void {
    this.end(closeForClient(facts));
  }

  async #sendOwn(frame: WebSocketFrame): Promise<void> {
    const link = await this.#accepted.promise;
    if (!link?.isOpen) return;
    // A client that goes meanwhile is told of by the end of its connection.
    await sendWhole(link, frame).catch((error: unknown) =>
      log.debug({ err: error, client: this.id }, 'a client went before it got a frame'),
    );
  }

  #take(frame: WebSocketFrame): void {
    this.#waiting.push(frame);
    this.#link?.pause();
    if (!this.#isBusy) void this.#work();
  }

  /** Mediates what has come in, in its order, and then the end. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let frame = this.#waiting.shift(); frame; frame = this.#waiting.shift()) {
      const next = frame;
      await this.#guarded(() => this.#host.clients.work(() => this.#mediateFrame(next)));
    }
    this.#isBusy = false;
    if (this.#closed) await this.#finish(this.#closed);
    else this.#link?.resume();
  }

  async #finish(facts: CloseFacts): Promise<void> {
    this.#isBusy = true;
    await this.#guarded(() =>
      this.#inWorld((world, endpoint) => {
        const message = this.#messageOf({ data: new Uint8Array(), isBinary: false }, world);
        describeClose(message, facts);
        return this.#run(world, endpoint, message);
      }),
    );
    await this.#closeBackEnds(closeForBackEnd(facts));
    this.#host.clients.delete(this);
  }

  async #mediateFrame(frame: WebSocketFrame): Promise<void> {
    await this.#inWorld(async (world, endpoint) => {
      const { pipeline, subprotocols } = endpoint.modules;
      const passed = pipeline ? await pipeline.handleFrame(frame, this.#view()) : frame;
      if (!passed) return;
      const handler = subprotocols.get(this.#protocol.name ?? '');
      if (handler && (await handler.handle(passed, this.#view()))) return;
      await this.#run(world, endpoint, this.#messageOf(passed, world, endpoint));
    });
  }

  #messageOf(frame: WebSocketFrame, world: CurrentWorld, endpoint?: SocketFlow): Message {
    const { maxPayloadBytes: limit } = this.#host.limits;
    const contentType = this.#protocol.contentType ?? endpoint?.socket.contentType;
    const message = messageOfFrame(frame, world, { sink: endpoint && this, contentType, limit });
    this.describe(message);
    message.addressing.to = this.#target;
    return message;
  }

  async #run(world: CurrentWorld, endpoint: SocketFlow, message: Message): Promise<void> {
    const flow = endpoint.flowFor(this.path, world.library);
    const requestIn = endpoint.handlers?.requestIn;
    const run = async (each: Message): Promise<Flow> => {
      if (requestIn && (await requestIn(each)) === STOP) return STOP;
      return flow(each);
    };
    await runInBackground(world, message, { id: `inboundEndpoint:${this.#host.endpoint}`, run: endpoint.guard(run) });
  }

  async #inWorld(work: (world: CurrentWorld, endpoint: SocketFlow) => Promise<void>): Promise<void> {
    const world = this.#host.world();
    world.enter();
    try {
      const endpoint = this.#host.find(world);
      if (endpoint) await work(world, endpoint);
    } finally {
      world.leave();
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error({ err: error, inbound: this.#host.endpoint, client: this.id }, 'a frame of a client was lost');
    }
  }

  async #closeBackEnds(facts: CloseFacts): Promise<void> {
    for (const opening of this.backEnds.values()) {
      const link = await opening.catch(() => undefined);
      link?.close(facts);
    }
  }

  #view(): FrameClientView {
    return {
      id: this.id,
      target: this.#target,
      protocol: this.#protocol.name ?? '',
      send: (frame) => this.#sendOwn(frame),
      close: (code, reason = '') => this.end({ code, reason }),
    };
  }
}
