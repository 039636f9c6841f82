import { Readable } from 'node:stream';
import type { BodySink, BodySource } from '#message';

/** A body up to this length is gathered first and sent with the head in one write. */
export const gatheredBytes = 65_536;

/** A body source as the stream that the wire engine reads. */
export class OutgoingBody extends Readable implements BodySink {
  readonly #source: BodySource;
  #isStarted = false;
  #isOver = false;
  #sourceError: Error | undefined;

  constructor(source: BodySource) {
    super({ highWaterMark: gatheredBytes });
    this.#source = source;
  }

  /** What ended the source before its end, as against what ended the connection. */
  get sourceError(): Error | undefined {
    return this.#sourceError;
  }

  override _read(): void {
    if (this.#isStarted) {
      this.#source.resume();
      return;
    }
    this.#isStarted = true;
    this.#source.pipe(this);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#source.cancel();
    }
    callback(error);
  }

  write(chunk: Uint8Array): boolean {
    return this.#isOver || this.push(chunk);
  }

  end(): void {
    this.#isOver = true;
    this.push(null);
  }

  fail(error: Error): void {
    this.#isOver = true;
    this.#sourceError = error;
    this.destroy(error);
  }
}

/** Reads a short body as a whole and hands it or the failure to the callback, without a promise. */
export function gatherBody(source: BodySource, done: (outcome: Uint8Array | Error) => void): void {
  const chunks: Uint8Array[] = [];
  source.pipe({
    write(chunk) {
      chunks.push(chunk);
      return true;
    },
    end: () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    fail: done,
  });
}
