import type { HeaderList } from '#message';
import type { BodyInput } from './body-input.ts';
import { isMalformedHead, readFieldLines } from './field-lines.ts';

const maximumDigits = 16;
/** Most bytes of the extensions of one chunk, and of all chunks of a body. */
const maximumExtension = 4_096;
const maximumExtensions = 16_384;
const maximumTrailer = 16_384;
const nothing: Readonly<HeaderList> = [];
/** Names with or without a value, and no blanks, which a sender must not make (RFC 9112, 7.1.1). */
const extensions =
  /^(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?)+$/;

type State = 'size' | 'extension' | 'size end' | 'data' | 'data return' | 'data end' | 'trailer' | 'done';

/**
 * Takes the chunked coding off a body (RFC 9112, 7.1), by its strict grammar: hexadecimal digits alone, CRLF alone.
 * Extensions are checked and dropped.
 */
export class ChunkDecoder implements BodyInput {
  #state: State = 'size';
  #digits = 0;
  #left = 0;
  #extension = '';
  #extensions = 0;
  #trailer = '';
  trailers: Readonly<HeaderList> = nothing;

  get isDone(): boolean {
    return this.#state === 'done';
  }

  read(buffer: Buffer, offset: number, take: (start: number, end: number) => void): number {
    while (offset < buffer.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const end = Math.min(buffer.length, offset + this.#left);
        take(offset, end);
        this.#left -= end - offset;
        offset = end;
        if (this.#left === 0) this.#state = 'data return';
      } else if (this.#state === 'trailer') {
        offset = this.#readTrailer(buffer, offset);
        if (offset < 0) return -1;
      } else if (!this.#step(buffer[offset] ?? 0)) {
        return -1;
      } else {
        offset++;
      }
    }
    return offset;
  }

  /** Takes one byte outside of data; false when it may not stand there. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case 'size':
        return this.#stepSize(byte);
      case 'extension':
        if (byte !== 0x0d) return this.#stepExtension(byte);
        this.#state = 'size end';
        return extensions.test(this.#extension);
      case 'size end':
        this.#digits = 0;
        this.#state = this.#left === 0 ? 'trailer' : 'data';
        return byte === 0x0a;
      case 'data return':
        this.#state = 'data end';
        return byte === 0x0d;
      default:
        this.#state = 'size';
        return byte === 0x0a;
    }
  }

  #stepExtension(byte: number): boolean {
    this.#extension += String.fromCharCode(byte);
    const isText = byte === 0x09 || (byte >= 0x20 && byte !== 0x7f);
    return isText && this.#extension.length <= maximumExtension && ++this.#extensions <= maximumExtensions;
  }

  #stepSize(byte: number): boolean {
    const digit = hexadecimal(byte);
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit;
      return ++this.#digits <= maximumDigits && this.#left <= Number.MAX_SAFE_INTEGER;
    }
    this.#extension = ';';
    if (byte === 0x0d) this.#state = 'size end';
    else if (byte === 0x3b) this.#state = 'extension';
    else return false;
    return this.#digits > 0;
  }

  /** Takes the bytes of the trailer up to its end, or all there are. */
  #readTrailer(buffer: Buffer, offset: number): number {
    const before = this.#trailer.length;
    this.#trailer += buffer.toString('latin1', offset, Math.min(buffer.length, offset + maximumTrailer - before + 4));
    const isEmpty = this.#trailer.startsWith('\r\n');
    const end = isEmpty ? 0 : this.#trailer.indexOf('\r\n\r\n');
    if (end < 0) {
      // An empty section cannot become a field, so the first byte tells already.
      const isWrong = isMalformedHead(this.#trailer) || this.#trailer.length > maximumTrailer;
      return isWrong ? -1 : offset + this.#trailer.length - before;
    }
    const lines = isEmpty ? '' : this.#trailer.slice(0, end + 2);
    const fields = isMalformedHead(lines) ? undefined : readFieldLines(lines, 0);
    if (!fields) return -1;
    this.trailers = fields;
    this.#state = 'done';
    return offset + (isEmpty ? 2 : end + 4) - before;
  }
}

function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
