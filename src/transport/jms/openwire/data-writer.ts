import { encodeModifiedUtf8 } from './modified-utf8.ts';

/** Writes numbers and text as Java's `DataOutput` does: big-endian, text in modified UTF-8. */
export class DataWriter {
  #buffer = Buffer.allocUnsafe(256);
  #length = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  byte(value: number): void {
    this.#length = this.#room(1).writeUInt8(value & 0xff, this.#length);
  }

  short(value: number): void {
    this.#length = this.#room(2).writeUInt16BE(value & 0xffff, this.#length);
  }

  int(value: number): void {
    this.#length = this.#room(4).writeInt32BE(value | 0, this.#length);
  }

  long(value: bigint): void {
    this.#length = this.#room(8).writeBigInt64BE(BigInt.asIntN(64, value), this.#length);
  }

  double(value: number): void {
    this.#length = this.#room(8).writeDoubleBE(value, this.#length);
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length).set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Text with its length in two bytes. @throws RangeError above 65535 bytes */
  text(value: string): void {
    const bytes = encodeModifiedUtf8(value);
    if (bytes.length > 0xffff) throw new RangeError(`a text of ${bytes.length} bytes; expected at most 65535`);
    this.short(bytes.length);
    this.raw(bytes);
  }

  /** Text with its length in four bytes. */
  longText(value: string): void {
    this.block(encodeModifiedUtf8(value));
  }

  /** Bytes with their number in four bytes. */
  block(bytes: Uint8Array): void {
    this.int(bytes.length);
    this.raw(bytes);
  }

  #room(size: number): Buffer {
    if (this.#length + size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    return this.#buffer;
  }
}
