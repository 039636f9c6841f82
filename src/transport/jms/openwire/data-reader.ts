import { decodeModifiedUtf8 } from './modified-utf8.ts';

/** Reads what Java's `DataOutput` writes. Every method throws a RangeError when there is less than it needs. */
export class DataReader {
  readonly #buffer: Buffer;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#buffer.length - this.#position;
  }

  boolean(): boolean {
    return this.byte() !== 0;
  }

  byte(): number {
    return this.#buffer.readInt8(this.#forward(1));
  }

  short(): number {
    return this.#buffer.readInt16BE(this.#forward(2));
  }

  unsignedShort(): number {
    return this.#buffer.readUInt16BE(this.#forward(2));
  }

  int(): number {
    return this.#buffer.readInt32BE(this.#forward(4));
  }

  long(): bigint {
    return this.#buffer.readBigInt64BE(this.#forward(8));
  }

  float(): number {
    return this.#buffer.readFloatBE(this.#forward(4));
  }

  double(): number {
    return this.#buffer.readDoubleBE(this.#forward(8));
  }

  raw(length: number): Buffer {
    const start = this.#forward(length);
    return this.#buffer.subarray(start, start + length);
  }

  text(): string {
    return decodeModifiedUtf8(this.raw(this.unsignedShort()));
  }

  longText(): string {
    return decodeModifiedUtf8(this.block());
  }

  block(): Buffer {
    return this.raw(this.int());
  }

  #forward(size: number): number {
    if (size < 0 || size > this.left) throw new RangeError(`expected ${size} more bytes, found ${this.left}`);
    const start = this.#position;
    this.#position += size;
    return start;
  }
}
