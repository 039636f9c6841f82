import type { HeaderList } from '#message';

/** Finds a body among the bytes of a connection. */
export interface BodyInput {
  /** True when the whole body has come. */
  readonly isDone: boolean;
  /** The fields that came behind the body. */
  readonly trailers?: Readonly<HeaderList>;
  /**
   * Hands the ranges of the body in `buffer` from `offset` on to `take`.
   *
   * @returns the offset behind what belongs to the body, or -1 when the body breaks its framing
   */
  read(buffer: Buffer, offset: number, take: (start: number, end: number) => void): number;
}

/** A body of a declared length; Infinity for one that the end of its connection ends. */
export class SizedInput implements BodyInput {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  read(buffer: Buffer, offset: number, take: (start: number, end: number) => void): number {
    const end = Math.min(buffer.length, offset + this.#left);
    if (end > offset) take(offset, end);
    this.#left -= end - offset;
    return end;
  }
}
