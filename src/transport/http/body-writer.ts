import type { Socket } from 'node:net';
import type { BodySink, BodySource } from '#message';
import { writeFieldLines } from './field-lines.ts';
import { holdWrites } from './held-writes.ts';

/** A body up to this length goes out in one text with what stands before it. */
const joinedBytes = 8_192;

/** Who hears of the end of a body on its way out. */
export interface BodyWriterOwner {
  bodyWritten(): void;
  /** The source failed, or gave other than its declared length; then there is no error. */
  bodyBroke(error: Error | undefined): void;
}

/** How the end of a body is told: by its length, by chunks, or by the end of the connection. */
export type OutgoingFraming = 'length' | 'chunks' | 'close';

/** Writes a head and the body behind it, at the pace of the other side, and watches the declared length. */
export class BodyWriter implements BodySink {
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
    if (this.#isOver || chunk.length === 0) return true;
    holdWrites(this.#socket);
    this.#left -= chunk.length;
    if (this.#left < 0) {
      this.cancel();
      this.#owner.bodyBroke(undefined);
      return true;
    }
    return this.#isChunked ? this.#writeChunk(chunk) : this.#writeBytes(chunk);
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

  #writeBytes(chunk: Uint8Array): boolean {
    return this.#head === '' ? this.#socket.write(chunk) : writeJoined(this.#socket, this.#takeHead(), chunk);
  }

  #writeChunk(chunk: Uint8Array): boolean {
    const before = `${this.#takeHead()}${chunk.length.toString(16)}\r\n`;
    if (chunk.length <= joinedBytes) {
      return this.#socket.write(`${before}${latin1(chunk)}\r\n`, 'latin1');
    }
    this.#socket.cork();
    this.#socket.write(before, 'latin1');
    this.#socket.write(chunk);
    const canGoOn = this.#socket.write('\r\n', 'latin1');
    this.#socket.uncork();
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
  if (bytes.length <= joinedBytes) return socket.write(head + latin1(bytes), 'latin1');
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
