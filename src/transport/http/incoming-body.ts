import type { BodySink, BodySource, Trailers } from '#message';
import { keepBytes, type KeptBytes } from './kept-bytes.ts';

/** The connection on which a body arrives. */
export interface BodyChannel {
  /** Somebody is going to read the body. */
  bodyWanted(): void;
  pauseBody(): void;
  resumeBody(): void;
  /** Nobody reads the rest of the body. */
  bodyGivenUp(): void;
}

/** A sink that is done with bytes sooner than the collector finds out. */
export interface ThriftySink extends BodySink {
  /** Takes bytes that are only good until it returns. */
  writeShared(bytes: Uint8Array): boolean;
  /** Takes bytes and releases their memory when it needs them no more. */
  writeKept(kept: KeptBytes): boolean;
}

/** A body while it arrives. Its connection pauses until somebody pipes it, and when the sink is full. */
export class IncomingBody implements BodySource {
  readonly length: number | undefined;
  trailers: Trailers | undefined;
  readonly #channel: BodyChannel;
  #sink: BodySink | ThriftySink | undefined;
  /** What came before the sink did: at most what one read of the connection gave. */
  #early: KeptBytes[] | undefined;
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
    this.#early = undefined;
    let canGoOn = true;
    for (const kept of early ?? []) canGoOn = (this.#isCancelled || giveKept(sink, kept)) && canGoOn;
    if (this.#outcome !== undefined) this.#finish(this.#outcome);
    else if (canGoOn) this.#channel.resumeBody();
  }

  resume(): void {
    if (this.#outcome === undefined) this.#channel.resumeBody();
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    for (const { release } of this.#early ?? []) release?.();
    this.#early = undefined;
    if (this.#outcome === undefined) this.#channel.bodyGivenUp();
  }

  /** Takes a chunk from the wire, of which a shared one is only good until this returns. */
  push(chunk: Uint8Array, isShared: boolean): void {
    if (this.#isCancelled) return;
    const sink = this.#sink;
    if (!sink) (this.#early ??= []).push(isShared ? keepBytes(chunk) : { bytes: chunk, release: undefined });
    else if (isShared ? giveShared(sink, chunk) : sink.write(chunk)) return;
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

function giveShared(sink: BodySink | ThriftySink, chunk: Uint8Array): boolean {
  return 'writeShared' in sink ? sink.writeShared(chunk) : sink.write(Buffer.from(chunk));
}

function giveKept(sink: BodySink | ThriftySink, kept: KeptBytes): boolean {
  if ('writeKept' in sink) return sink.writeKept(kept);
  const { bytes, release } = kept;
  if (!release) return sink.write(bytes);
  // Others may keep it for long, and should not keep the rest of the memory as well.
  const copy = Buffer.from(bytes);
  release();
  return sink.write(copy);
}
