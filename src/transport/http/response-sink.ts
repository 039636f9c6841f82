import type { ServerResponse } from 'node:http';
import type { BodySink, BodySource } from '#message';

/** Writes a body behind a head that was set already, at the pace of the client, and watches its declared length. */
export class ResponseSink implements BodySink {
  readonly #response: ServerResponse;
  readonly #source: BodySource;
  readonly #end: () => void;
  #left: number | undefined;

  /** @param end called when the body is complete */
  constructor(response: ServerResponse, source: BodySource, end: () => void) {
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
    }
    return this.#response.write(chunk);
  }

  end(): void {
    if (this.#left !== undefined && this.#left !== 0) this.#break();
    else this.#end();
  }

  fail(): void {
    this.#break();
  }

  /** A body that cannot be completed must not look complete: the connection ends here. */
  #break(): void {
    this.#response.destroy();
  }
}
