/** A body's bytes up to this length are taken as a text, so that their memory is free at once. */
export const textBytes = 8_192;
/** What one read of a connection gives at most. */
export const readBytes = 65_536;
/** Memory that waits for its next use; more is left to the collector. */
const mostFree = 64;

/** A copy of bytes that their owner uses anew. */
export interface KeptBytes {
  readonly bytes: Uint8Array;
  /** Gives the memory back; who never calls it leaves it to the collector. */
  readonly release: (() => void) | undefined;
}

/**
 * Every read of connections without TLS goes in here. Memory of its own for each read would be most of what the
 * collector has to deal with, and large buffers make it start over and over.
 */
export const sharedBuffer: Buffer = Buffer.allocUnsafeSlow(readBytes);

class Block {
  readonly #memory = Buffer.allocUnsafeSlow(readBytes);
  readonly release = (): void => {
    if (free.length < mostFree) free.push(this);
  };

  keep(bytes: Uint8Array): KeptBytes {
    this.#memory.set(bytes);
    return { bytes: this.#memory.subarray(0, bytes.length), release: this.release };
  }
}

const free: Block[] = [];

/** Copies bytes of a shared buffer, large ones into memory that is used again and again. */
export function keepBytes(bytes: Uint8Array): KeptBytes {
  if (bytes.length <= textBytes || bytes.length > readBytes) return { bytes: Buffer.from(bytes), release: undefined };
  return (free.pop() ?? new Block()).keep(bytes);
}
