import type { Socket } from 'node:net';
import type { BodySource } from '#message';
import { writeFieldLines } from './field-lines.ts';
import { holdWrites } from './held-writes.ts';
import type { ThriftySink } from './incoming-body.ts';
import { keepBytes, textBytes, type KeptBytes } from './kept-bytes.ts';

/** Who hears of the end of a body on its way out. */
export interface BodyWriterOwner {
  bodyWritten(): void;
  /** The source failed, or gave other than its declared length; then there is no error. */
  bodyBroke(error: Error | undefined): void;
}

/** How the end of a body is told: by its length, by chunks, or by the end of the connection. */
export type OutgoingFraming = 'length' | 'chunks' | 'close';

/** Writes a head and the body behind it, at the pace of the other side, and watches the declared length. */
export class BodyWriter implements ThriftySink {
  readonly #socket: Socket;
  readonly #source: BodySource;
  readonly #owner: BodyWriterOwner;
  readonly #isChunked: boolean;
  readonly #sendsTrailers: boolean;
  /** The head until it is written: it goes out together with the first bytes that are there. */
  #head: string;
  #left: number;
  #isOver = false;

  constructor(
    socket: Socket,
    source: BodySource,
    options: { head: string; framing: OutgoingFraming; owner: BodyWriterOwner; sendsTrailers: boolean },
  ) {
    this.#socket = socket;
    this.#source = source;
    this.#owner = options.owner;
    this.#head = options.head;
    this.#isChunked = options.framing === 'chunks';
    this.#sendsTrailers = options.sendsTrailers;
    this.#left = options.framing === 'length' ? (source.length ?? 0) : Number.POSITIVE_INFINITY;
  }

  start(): void {
    this.#source.pipe(this);
    if (this.#isOver || this.#head === '') return;
    this.#socket.write(this.#takeHead(), 'latin1');
  }

  /** The other side takes more. */
  drained(): void {
    if (!this.#isOver) this.#source.resume();
  }

  /** Stops; the source is given up. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.cancel();
  }

  write(chunk: Uint8Array): boolean {
    return this.#write(chunk, undefined);
  }

  writeShared(bytes: Uint8Array): boolean {
    // Of a short one a text is made.
    return bytes.length <= textBytes ? this.#write(bytes, undefined) : this.writeKept(keepBytes(bytes));
  }

  writeKept({ bytes, release }: KeptBytes): boolean {
    return this.#write(bytes, release);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#left > 0 && this.#left !== Number.POSITIVE_INFINITY) {
      this.#owner.bodyBroke(undefined);
      return;
    }
    const rest = this.#isChunked ? `${this.#takeHead()}0\r\n${this.#trailerLines()}\r\n` : this.#takeHead();
    if (rest !== '') this.#socket.write(rest, 'latin1');
    this.#owner.bodyWritten();
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#owner.bodyBroke(error);
  }

  #write(chunk: Uint8Array, release: (() => void) | undefined): boolean {
    this.#left -= chunk.length;
    if (this.#isOver || chunk.length === 0 || this.#left < 0) {
      release?.();
      if (!this.#isOver && this.#left < 0) this.#exceeded();
      return true;
    }
    holdWrites(this.#socket);
    return this.#isChunked ? this.#writeChunk(chunk, release) : this.#writeBytes(chunk, release);
  }

  /** The source gave more than its declared length. */
  #exceeded(): void {
    this.cancel();
    this.#owner.bodyBroke(undefined);
  }

  #writeBytes(chunk: Uint8Array, release: (() => void) | undefined): boolean {
    if (chunk.length > textBytes) return this.#writeBetween(this.#takeHead(), chunk, { after: '', release });
    const canGoOn = writeJoined(this.#socket, this.#takeHead(), chunk);
    release?.();
    return canGoOn;
  }

  #writeChunk(chunk: Uint8Array, release: (() => void) | undefined): boolean {
    const before = `${this.#takeHead()}${chunk.length.toString(16)}\r\n`;
    if (chunk.length > textBytes) return this.#writeBetween(before, chunk, { after: '\r\n', release });
    const canGoOn = this.#socket.write(`${before}${latin1(chunk)}\r\n`, 'latin1');
    release?.();
    return canGoOn;
  }

  #writeBetween(
    before: string,
    chunk: Uint8Array,
    { after, release }: { after: string; release: (() => void) | undefined },
  ): boolean {
    const socket = this.#socket;
    socket.cork();
    if (before !== '') socket.write(before, 'latin1');
    const canGoOn = socket.write(chunk, release);
    if (after !== '') socket.write(after, 'latin1');
    socket.uncork();
    return canGoOn;
  }

  /** What stands behind the body; fields that cannot be written are left out. */
  #trailerLines(): string {
    const fields = this.#sendsTrailers ? this.#source.trailers?.fields : undefined;
    return fields && fields.length > 0 ? (writeFieldLines(fields) ?? '') : '';
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }
}

/** Writes a head and bytes behind it with one call to the system. */
export function writeJoined(socket: Socket, head: string, bytes: Uint8Array): boolean {
  // A text costs less than two buffers; ISO-8859-1 keeps every byte.
  if (bytes.length <= textBytes) return socket.write(head + latin1(bytes), 'latin1');
  socket.cork();
  socket.write(head, 'latin1');
  const canGoOn = socket.write(bytes);
  socket.uncork();
  return canGoOn;
}

function latin1(bytes: Uint8Array): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('latin1');
}
