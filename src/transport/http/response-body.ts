import type { Dispatcher } from 'undici';
import type { BodySink, BodySource } from '#message';
import { abortedError } from './sender-errors.ts';

/** A body no longer than this is read to its end when it is given up, so that its connection stays usable. */
const discardableBytes = 65_536;

/** The body of a response while it arrives. The connection pauses until somebody pipes it. */
export class ResponseBody implements BodySource {
  readonly length: number | undefined;
  readonly #controller: Dispatcher.DispatchController;
  readonly #origin: string;
  #sink: BodySink | undefined;
  /** What arrived before the sink did: undici delivers it at the end of a connection, paused or not. */
  #early: Uint8Array[] = [];
  #outcome: Error | 'complete' | undefined;
  #isCancelled = false;

  constructor(controller: Dispatcher.DispatchController, origin: string, length: number | undefined) {
    this.#controller = controller;
    this.#origin = origin;
    this.length = length;
  }

  get isPiped(): boolean {
    return this.#sink !== undefined || this.#isCancelled;
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    const early = this.#early;
    this.#early = [];
    let canGoOn = true;
    for (const chunk of early) canGoOn = sink.write(chunk) && canGoOn;
    if (this.#outcome !== undefined) this.#finish(this.#outcome);
    else if (canGoOn) this.#controller.resume();
  }

  resume(): void {
    if (this.#outcome === undefined) this.#controller.resume();
  }

  cancel(): void {
    if (this.#isCancelled || this.#outcome !== undefined) return;
    this.#isCancelled = true;
    this.#early = [];
    if (this.length !== undefined && this.length <= discardableBytes) this.#controller.resume();
    else this.#controller.abort(abortedError(this.#origin));
  }

  /** Takes a chunk from the wire; pauses the connection when the sink is full. */
  push(chunk: Uint8Array): void {
    if (this.#isCancelled) return;
    if (!this.#sink) {
      this.#early.push(chunk);
      this.#controller.pause();
    } else if (!this.#sink.write(chunk)) {
      this.#controller.pause();
    }
  }

  /** The wire has nothing more: the body is complete or broke off. */
  settle(outcome: Error | 'complete'): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    if (this.#sink) this.#finish(outcome);
  }

  #finish(outcome: Error | 'complete'): void {
    if (this.#isCancelled) return;
    if (outcome === 'complete') this.#sink?.end();
    else this.#sink?.fail(outcome);
  }
}
