import { getLogger } from '#core';
import type { Message } from '#message';
import { BackgroundExchange } from '../background/exchange.ts';
import type { LiveWorld } from '../background/live.ts';
import { STOP } from '../flow.ts';
import { composeBody } from '../outgoing-body.ts';
import { bytesOf, isBinaryMessage, type FrameSink } from './frame-message.ts';

const log = getLogger('mediation.ws');

/** The exchange of a message made of a frame: each of its answers is another frame, as many as there are. */
export class FrameExchange extends BackgroundExchange {
  readonly #sink: FrameSink | undefined;
  readonly #limit: number;

  constructor({ environment, library }: LiveWorld, sink: FrameSink | undefined, limit: number) {
    super(environment, library);
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
    await message.payload.load(this.#limit);
    const { body, contentType } = composeBody(message, 'client');
    if (body === null) return;
    await this.#sink({ data: await bytesOf(body, this.#limit), isBinary: isBinaryMessage(message, contentType) });
  }
}
