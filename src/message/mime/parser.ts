import type { HeaderList } from '../header-list.ts';
import { MultipartError } from './error.ts';
import { parsePartHeaders } from './headers.ts';
import { boundaryPattern, defaultMultipartLimits, type MultipartLimits } from './limits.ts';

/** Takes what the parser finds: for each part its headers, its bytes in any number of chunks, and its end. */
export interface MultipartHandler {
  part(headers: HeaderList): void;
  data(chunk: Uint8Array): void;
  end(): void;
}

type State = 'preamble' | 'boundary' | 'headers' | 'first data' | 'data' | 'epilogue';

const lineEnd = Buffer.from('\r\n');
const headerEnd = Buffer.from('\r\n\r\n');
/** Blanks that may follow a boundary (RFC 2046 section 5.1.1, transport padding). */
const maxPadding = 256;

/**
 * Parses a multipart body (RFC 2046 section 5.1) while it arrives, in memory that does not grow with the body. Lines
 * end in CRLF; a bare line feed is content.
 */
export class MultipartParser {
  readonly #handler: MultipartHandler;
  readonly #limits: MultipartLimits;
  readonly #delimiter: Buffer;
  #state: State = 'preamble';
  /** What was written and could not be decided yet. The line end before a first boundary is supplied. */
  #pending: Buffer = lineEnd;
  #skipped = 0;
  #parts = 0;

  /** @throws MultipartError for a boundary that RFC 2046 does not allow */
  constructor(boundary: string, handler: MultipartHandler, limits: MultipartLimits = defaultMultipartLimits) {
    if (!boundaryPattern.test(boundary)) throw new MultipartError('the boundary is not 1 to 70 permitted characters');
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#handler = handler;
    this.#limits = limits;
  }

  /** Takes the next bytes, which it may keep. @throws MultipartError */
  write(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    while (this.#step());
  }

  /** Says that the body is complete. @throws MultipartError when its closing boundary is missing */
  end(): void {
    if (this.#state !== 'epilogue') throw new MultipartError('the closing boundary is missing');
  }

  /** Goes one state further; false when more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case 'preamble':
        return this.#skipPreamble();
      case 'boundary':
        return this.#readBoundaryLine();
      case 'headers':
        return this.#readHeaders();
      case 'first data':
        return this.#startData();
      case 'data':
        return this.#readData();
      case 'epilogue':
        this.#pending = Buffer.alloc(0);
        return false;
    }
  }

  #skipPreamble(): boolean {
    const index = this.#pending.indexOf(this.#delimiter);
    const passed = index < 0 ? Math.max(0, this.#pending.length - this.#delimiter.length + 1) : index;
    this.#skipped += passed;
    if (this.#skipped > this.#limits.preambleBytes) throw new MultipartError('too much before the first boundary', 413);
    if (index < 0) {
      this.#pending = this.#pending.subarray(passed);
      return false;
    }
    return this.#enter('boundary', index + this.#delimiter.length);
  }

  #readBoundaryLine(): boolean {
    const pending = this.#pending;
    if (pending.length < 2) return false;
    if (pending[0] === 0x2d && pending[1] === 0x2d) return this.#enter('epilogue', 2);
    const index = pending.indexOf(lineEnd);
    const padding = index < 0 ? pending.length - 1 : index;
    if (padding > maxPadding) throw new MultipartError('a boundary line is too long');
    for (let at = 0; at < padding; at++) {
      if (pending[at] !== 0x20 && pending[at] !== 0x09) throw new MultipartError('text follows a boundary');
    }
    if (index < 0) return false;
    if (++this.#parts > this.#limits.parts) throw new MultipartError(`more than ${this.#limits.parts} parts`, 413);
    // The line end stays: it begins the empty line of a part without headers.
    return this.#enter('headers', index);
  }

  #readHeaders(): boolean {
    const index = this.#pending.indexOf(headerEnd);
    if ((index < 0 ? this.#pending.length : index) > this.#limits.headerBytes) {
      throw new MultipartError('the headers of a part are too long', 413);
    }
    if (index < 0) return false;
    const block = this.#pending.subarray(Math.min(2, index), index);
    this.#handler.part(parsePartHeaders(block, this.#limits.headers));
    // The second line end may belong to the boundary of a part without content.
    return this.#enter('first data', index + 2);
  }

  #startData(): boolean {
    if (this.#pending.length < this.#delimiter.length) return false;
    const isEmpty = this.#pending.subarray(0, this.#delimiter.length).equals(this.#delimiter);
    return this.#enter('data', isEmpty ? 0 : 2);
  }

  #readData(): boolean {
    const index = this.#pending.indexOf(this.#delimiter);
    if (index < 0) {
      const safe = this.#pending.length - this.#delimiter.length + 1;
      if (safe > 0) {
        this.#handler.data(this.#pending.subarray(0, safe));
        this.#pending = this.#pending.subarray(safe);
      }
      return false;
    }
    if (index > 0) this.#handler.data(this.#pending.subarray(0, index));
    this.#handler.end();
    return this.#enter('boundary', index + this.#delimiter.length);
  }

  #enter(state: State, consumed: number): true {
    this.#state = state;
    this.#pending = this.#pending.subarray(consumed);
    return true;
  }
}
