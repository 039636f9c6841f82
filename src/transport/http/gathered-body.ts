import type { BodySink } from '#message';

/** A body up to this length is gathered first and sent with the head in one write. */
export const gatheredBytes = 65_536;

/** Takes a short body as a whole and hands it or the failure to the callback, without a promise. */
export class GatheredBody implements BodySink {
  readonly #done: (outcome: Uint8Array | Error) => void;
  #first: Uint8Array | undefined;
  #more: Uint8Array[] | undefined;

  constructor(done: (outcome: Uint8Array | Error) => void) {
    this.#done = done;
  }

  write(chunk: Uint8Array): boolean {
    if (!this.#first) this.#first = chunk;
    else (this.#more ??= [this.#first]).push(chunk);
    return true;
  }

  end(): void {
    this.#done(this.#more ? Buffer.concat(this.#more) : (this.#first ?? new Uint8Array()));
  }

  fail(error: Error): void {
    this.#done(error);
  }
}
