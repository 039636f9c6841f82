import { MillraceError } from '#errors';
import type { BodySink, BodySource } from '#message';

/** What a limit says of a body whose length nobody declared, once it is longer than allowed. */
export interface BodyLimit {
  readonly bytes: number;
  /** HTTP status that stands for the refusal. */
  readonly status: number;
  readonly message: string;
}

/** True when the declared length alone says that a body is longer than `bytes`. */
export function declaresMore(body: BodySource | null, bytes: number): boolean {
  return body !== null && body.length !== undefined && body.length > bytes;
}

/**
 * A body that fails for its reader with `MR_BODY_TOO_LARGE` as soon as more bytes than allowed have come.
 *
 * @param exceeded called before that, so that a client can be answered at once
 */
export function limitBody(source: BodySource, limit: BodyLimit, exceeded: () => void = () => undefined): BodySource {
  let left = limit.bytes;
  return {
    length: source.length,
    get trailers() {
      return source.trailers;
    },
    pipe(sink: BodySink) {
      source.pipe({
        write(chunk) {
          if (left < 0) return true;
          left -= chunk.length;
          if (left >= 0) return sink.write(chunk);
          source.cancel();
          exceeded();
          sink.fail(new MillraceError({ code: 'MR_BODY_TOO_LARGE', status: limit.status, message: limit.message }));
          return true;
        },
        end() {
          if (left >= 0) sink.end();
        },
        fail(error) {
          if (left >= 0) sink.fail(error);
        },
      });
    },
    resume: () => source.resume(),
    cancel: () => source.cancel(),
  };
}
