import type { BodySink, BodySource, Trailers } from '#message';

/** The connection on which a body arrives. */
export interface BodyChannel {
  /** Somebody is going to read the body. */
  bodyWanted(): void;
  pauseBody(): void;
  resumeBody(): void;
  /** Nobody reads the rest of the body. */
  bodyGivenUp(): void;
}

/** A body while it arrives. Its connection pauses until somebody pipes it, and when the sink is full. */
export class IncomingBody implements BodySource {
  readonly length: number | undefined;
  trailers: Trailers | undefined;
  readonly #channel: BodyChannel;
  #sink: BodySink | undefined;
  /** What came before the sink did: at most what one read of the connection gave. */
  #early: Uint8Array[] = [];
  #outcome: Error | 'complete' | undefined;
  #isCancelled = false;

  constructor(channel: BodyChannel, length: number | undefined) {
    this.#channel = channel;
    this.length = length;
  }

  /** True once the wire has nothing more of it. */
  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** True when bytes may still arrive that nobody reads. */
  get isAbandoned(): boolean {
    return this.#outcome === undefined && (this.#sink === undefined || this.#isCancelled);
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    this.#channel.bodyWanted();
    const early = this.#early;
    this.#early = [];
    let canGoOn = true;
    for (const chunk of early) canGoOn = (this.#isCancelled || sink.write(chunk)) && canGoOn;
    if (this.#outcome !== undefined) this.#finish(this.#outcome);
    else if (canGoOn) this.#channel.resumeBody();
  }

  resume(): void {
    if (this.#outcome === undefined) this.#channel.resumeBody();
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#early = [];
    if (this.#outcome === undefined) this.#channel.bodyGivenUp();
  }

  /** Takes a chunk from the wire. */
  push(chunk: Uint8Array): void {
    if (this.#isCancelled) return;
    if (!this.#sink) this.#early.push(chunk);
    else if (this.#sink.write(chunk)) return;
    this.#channel.pauseBody();
  }

  /** The wire has nothing more: the body is complete or broke off. */
  settle(outcome: Error | 'complete'): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    if (this.#sink) this.#finish(outcome);
  }

  #finish(outcome: Error | 'complete'): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    if (outcome === 'complete') this.#sink?.end();
    else this.#sink?.fail(outcome);
  }
}
