import { getLogger } from '#core';
import type { Message } from '#message';
import { BackgroundExchange } from '../background/exchange.ts';
import type { LiveWorld } from '../background/live.ts';
import { STOP } from '../flow.ts';
import { isTrue } from '../outgoing-body.ts';
import { closeOf, saysTerminate, targetHandshake } from './close-message.ts';
import { frameOfAnswer } from './frame-answer.ts';
import { frameClientOf } from './frame-client.ts';
import type { FrameSink } from './frame-message.ts';

const log = getLogger('mediation.ws');

/** The exchange of a message made of a frame: each of its answers is another frame, as many as there are. */
export class FrameExchange extends BackgroundExchange {
  readonly #sink: FrameSink | undefined;
  readonly #limit: number;

  constructor({ environment }: LiveWorld, sink: FrameSink | undefined, limit: number) {
    super(environment);
    this.#sink = sink;
    this.#limit = limit;
  }

  override respondThrough(message: Message): Promise<boolean> {
    return this.answer(message).then(() => STOP);
  }

  override async answer(message: Message): Promise<void> {
    this.answered = true;
    if (!this.#sink) {
      log.debug({ message: message.id }, 'a frame of a back end was answered, and no client waits for it');
      message.payload.discard();
      return;
    }
    if ((await frameClientOf(this)?.beforeAnswer(message)) === false) {
      message.payload.discard();
      return;
    }
    if (saysTerminate(message)) {
      message.payload.discard();
      this.#sink.end(closeOf(message));
      return;
    }
    // That a back end has taken a connection is nothing to be told to a client.
    if (isTrue(message.property('default', targetHandshake))) return;
    const frame = await frameOfAnswer(message, this.#limit);
    if (frame) await this.#sink.send(frame);
  }
}
