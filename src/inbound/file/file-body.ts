import { createReadStream, type ReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { toError } from '#errors';
import type { BodySink, BodySource } from '#message';

/** The content of an open file as a body; closes the file when it was read or given up. */
export class FileBody implements BodySource {
  readonly length: number;
  readonly #handle: FileHandle;
  #stream: ReadStream | undefined;

  constructor(handle: FileHandle, length: number) {
    this.#handle = handle;
    this.length = length;
  }

  /** True when somebody has begun to read. */
  get isTaken(): boolean {
    return this.#stream !== undefined;
  }

  pipe(sink: BodySink): void {
    if (this.length === 0) {
      this.cancel();
      sink.end();
      return;
    }
    // What is appended meanwhile belongs to the next message.
    const stream = createReadStream('', { fd: this.#handle, end: this.length - 1 });
    this.#stream = stream;
    stream.on('data', (chunk) => {
      if (!sink.write(chunk as Buffer)) stream.pause();
    });
    stream.on('end', () => sink.end());
    stream.on('error', (error) => sink.fail(toError(error)));
  }

  resume(): void {
    this.#stream?.resume();
  }

  cancel(): void {
    if (this.#stream) this.#stream.destroy();
    else void this.#handle.close();
  }
}
