const headEnd = Buffer.from('\r\n\r\n');

/** Gathers the bytes of a head until its end is there. */
export class HeadInput {
  #held: Buffer | undefined;

  /** True when a part of a head has come. */
  get hasBegun(): boolean {
    return this.#held !== undefined;
  }

  /** Bytes held, for a head that is not complete. */
  get held(): Buffer | undefined {
    return this.#held;
  }

  /** What was held and `buffer` behind it, from `offset` on. */
  join(buffer: Buffer): Buffer {
    const held = this.#held;
    if (!held) return buffer;
    this.#held = undefined;
    return Buffer.concat([held, buffer]);
  }

  /** Keeps the rest of a buffer, which may be used anew by its owner. */
  hold(buffer: Buffer, offset: number): void {
    this.#held = offset < buffer.length ? Buffer.from(buffer.subarray(offset)) : undefined;
  }
}

/** The offset behind the CRLF of the last line of a head, or -1 while it is not there. */
export function findHeadEnd(buffer: Buffer, offset: number): number {
  const end = buffer.indexOf(headEnd, offset);
  return end < 0 ? -1 : end + 2;
}
