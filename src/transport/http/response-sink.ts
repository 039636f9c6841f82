import type { ServerResponse } from 'node:http';
import type { BodySink, BodySource } from '#message';

/** A last chunk up to this length waits for the end, so that it goes out together with it. */
const heldBytes = 8_192;

/** Writes a body behind a head that was set already, at the pace of the client, and watches its declared length. */
export class ResponseSink implements BodySink {
  readonly #response: ServerResponse;
  readonly #source: BodySource;
  readonly #end: (lastChunk?: Uint8Array) => void;
  #left: number | undefined;
  #last: Uint8Array | undefined;

  /** @param end called when the body is complete, with what was not written yet */
  constructor(response: ServerResponse, source: BodySource, end: (lastChunk?: Uint8Array) => void) {
    this.#response = response;
    this.#source = source;
    this.#end = end;
    this.#left = source.length;
  }

  start(): void {
    this.#response.on('drain', () => this.#source.resume());
    this.#source.pipe(this);
    if (this.#response.headersSent && this.#response.writableLength > 0) return;
    // The first bytes often follow within the same turn; only if they do not, the head goes out alone.
    process.nextTick(() => {
      if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.flushHeaders();
    });
  }

  write(chunk: Uint8Array): boolean {
    if (this.#left !== undefined) {
      this.#left -= chunk.length;
      if (this.#left < 0) {
        this.#break();
        return true;
      }
      if (this.#left === 0 && chunk.length <= heldBytes) {
        this.#last = chunk;
        return true;
      }
    }
    return this.#response.write(chunk);
  }

  end(): void {
    if (this.#left !== undefined && this.#left !== 0) this.#break();
    else this.#end(this.#last);
  }

  fail(): void {
    this.#break();
  }

  /** A body that cannot be completed must not look complete: the connection ends here. */
  #break(): void {
    this.#response.destroy();
  }
}
