import { MillraceError } from '#errors';
import type { HeaderList } from './header-list.ts';

/**
 * A body that has not been read yet. It is consumed at most once, by `pipe`; the source pauses when the sink says so
 * and goes on when `resume` is called.
 */
export interface BodySource {
  /** Declared length in bytes; `undefined` when the sender did not say. */
  readonly length: number | undefined;
  /** Fields behind the body, complete once it has ended; absent where there can be none. */
  readonly trailers?: Trailers | undefined;
  /** Starts the flow into `sink`. */
  pipe(sink: BodySink): void;
  /** Continues after a `write` that returned false. */
  resume(): void;
  /** Gives the rest up: what is unread is discarded or its connection closed. */
  cancel(): void;
}

/** Fields behind a body (RFC 9110, 6.5). */
export interface Trailers {
  /** The names that its head announced, as the value of a `Trailer` field; may be empty. */
  readonly announced: string;
  readonly fields: Readonly<HeaderList>;
}

/** Takes a body. Exactly one of `end` and `fail` is called, once, last. */
export interface BodySink {
  /** Takes a chunk, which it may keep; false asks the source to wait for `resume`. */
  write(chunk: Uint8Array): boolean;
  end(): void;
  fail(error: Error): void;
}

/** A body ready to be sent. */
export type Body = Uint8Array | BodySource | null;

/**
 * Reads a body to its end.
 *
 * @param limit most bytes that are accepted
 * @throws MillraceError `MR_BODY_TOO_LARGE` (413) beyond the limit, or whatever ended the source
 */
export function readBody(source: BodySource, limit: number): Promise<Uint8Array> {
  if (source.length !== undefined && source.length > limit) {
    source.cancel();
    return Promise.reject(tooLarge(limit));
  }
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    source.pipe({
      write(chunk) {
        size += chunk.length;
        if (size > limit) {
          source.cancel();
          reject(tooLarge(limit));
          return true;
        }
        chunks.push(chunk);
        return true;
      },
      end: () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
      fail: reject,
    });
  });
}

/** A source that delivers bytes that are already there; with fields behind them its length is not told. */
export function bodySourceOf(bytes: Uint8Array, trailers?: Trailers): BodySource {
  return {
    length: trailers ? undefined : bytes.length,
    trailers,
    pipe(sink) {
      if (bytes.length > 0) sink.write(bytes);
      sink.end();
    },
    resume: ignore,
    cancel: ignore,
  };
}

function ignore(): void {
  // Bytes in memory need neither pausing nor releasing.
}

function tooLarge(limit: number): MillraceError {
  return new MillraceError({
    code: 'MR_BODY_TOO_LARGE',
    status: 413,
    message: `The body is larger than the limit of ${limit} bytes`,
  });
}
