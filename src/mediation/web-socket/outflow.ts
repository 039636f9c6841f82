import { getLogger } from '#core';
import { MillraceError } from '#errors';
import type { Message } from '#message';
import type { WebSocketFrame, WebSocketLimits, WebSocketLink } from '#transport';
import { runInBackground } from '../background/run.ts';
import type { LiveWorld } from '../background/live.ts';
import { describeFault, faultAt, faultFields } from '../fault.ts';
import type { Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import { targetHandshake } from './close-message.ts';
import { messageOfFrame, type FrameSink } from './frame-message.ts';
import type { WebSocketSchemeSettings } from './settings.ts';

const log = getLogger('mediation.ws');

/** A world that stays while something is done in it. */
export interface CurrentWorld extends LiveWorld {
  enter(): void;
  leave(): void;
}

export interface OutflowOptions {
  readonly world: () => CurrentWorld;
  readonly scheme: WebSocketSchemeSettings;
  readonly limits: WebSocketLimits;
  /** The address of the back end. */
  readonly url: string;
  /** Where frames go in the end; undefined where no client waits. */
  readonly sink: FrameSink | undefined;
  /** Completes each message, such as with whose it is. */
  readonly describe?: ((message: Message) => void) | undefined;
}

/** Takes the frames of one back end through the sequence that the configuration names, one after the other. */
export class Outflow {
  readonly #options: OutflowOptions;
  readonly #waiting: WebSocketFrame[] = [];
  #isBusy = false;

  constructor(options: OutflowOptions) {
    this.#options = options;
  }

  /** True when frames go to the client as they are. */
  get isDirect(): boolean {
    const { world, scheme } = this.#options;
    return !this.#isBusy && world().library.sequence(scheme.outflow) === undefined;
  }

  /** Takes a frame; `link` is read on when it and those before it are through. */
  take(frame: WebSocketFrame, link: WebSocketLink): void {
    this.#waiting.push(frame);
    link.pause();
    if (!this.#isBusy) void this.#work(link);
  }

  /** The back end has taken the connection: the sequence hears of it, with nothing in the message. */
  opened(): void {
    const { scheme, url } = this.#options;
    void this.#inWorld(async (world) => {
      const flow = world.library.sequence(scheme.outflow);
      if (!flow) return;
      const message = this.#messageOf({ data: new Uint8Array(), isBinary: false }, world);
      message.properties.set(targetHandshake, true);
      await this.#run(world, flow, message);
    }).catch((error: unknown) => log.error({ err: error, url }, 'the handshake of a back end was not told'));
  }

  /** The connection broke: the fault sequence hears of it. */
  broke(reason: string): void {
    const { url, scheme } = this.#options;
    const error = new MillraceError({ code: 'MR_WS_CLOSED', message: `${url}: ${reason}`, status: 502 });
    void this.#inWorld(async (world) => {
      const message = this.#messageOf({ data: new Uint8Array(), isBinary: false }, world);
      await this.#runFault(world, message, error);
    }).catch((failure: unknown) =>
      log.error({ err: failure, sequence: scheme.outflowFault }, 'a fault sequence failed'),
    );
  }

  async #work(link: WebSocketLink): Promise<void> {
    this.#isBusy = true;
    for (let frame = this.#waiting.shift(); frame; frame = this.#waiting.shift()) {
      const next = frame;
      await this.#inWorld((world) => this.#mediate(world, next)).catch((error: unknown) =>
        log.error({ err: error, url: this.#options.url }, 'a frame of a back end was lost'),
      );
    }
    this.#isBusy = false;
    link.resume();
  }

  async #mediate(world: CurrentWorld, frame: WebSocketFrame): Promise<void> {
    const { scheme, sink } = this.#options;
    const flow = world.library.sequence(scheme.outflow);
    if (!flow) return sink?.send(frame);
    await this.#run(world, flow, this.#messageOf(frame, world));
  }

  async #run(world: CurrentWorld, flow: Compiled, message: Message): Promise<void> {
    const run = async (each: Message): Promise<Flow> => {
      try {
        return await flow(each);
      } catch (error) {
        if (!(await this.#runFault(world, each, error))) throw error;
        return false;
      }
    };
    await runInBackground(world, message, { id: `websocket:${this.#options.url}`, run });
  }

  #messageOf(frame: WebSocketFrame, world: CurrentWorld): Message {
    const { scheme, sink, limits, url } = this.#options;
    const message = messageOfFrame(frame, world, { sink, contentType: undefined, limit: limits.maxPayloadBytes });
    for (const [name, value] of Object.entries(scheme.parameters)) message.axis2.set(name, value);
    message.addressing.to = url;
    message.response = true;
    this.#options.describe?.(message);
    return message;
  }

  /** Runs the fault sequence; false when there is none. */
  async #runFault({ library }: CurrentWorld, message: Message, error: unknown): Promise<boolean> {
    const handler = library.sequence(this.#options.scheme.outflowFault);
    if (!handler) return false;
    const fault = faultAt(error, `websocket:${this.#options.url}`, undefined);
    describeFault(message, fault);
    message.exchange.failed = true;
    log.warn({ ...faultFields(fault), message: message.id }, 'a frame failed; its fault sequence runs');
    await handler(message);
    return true;
  }

  async #inWorld(work: (world: CurrentWorld) => void | Promise<void>): Promise<void> {
    const world = this.#options.world();
    world.enter();
    try {
      await work(world);
    } finally {
      world.leave();
    }
  }
}
