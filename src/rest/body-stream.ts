import { toError } from '#errors';
import type { BodySink, BodySource } from '#transport';

/** A transport's body as a web stream; nothing flows before it is read, and cancelling it gives the rest up. */
export function streamOf(source: BodySource): ReadableStream<Uint8Array> {
  let started = false;
  let paused = false;
  let ended = false;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (started) {
          if (paused) {
            paused = false;
            source.resume();
          }
          return;
        }
        started = true;
        source.pipe({
          write(chunk) {
            if (ended) return true;
            controller.enqueue(chunk);
            paused = (controller.desiredSize ?? 0) <= 0;
            return !paused;
          },
          end() {
            if (!ended) controller.close();
            ended = true;
          },
          fail(error) {
            ended = true;
            controller.error(error);
          },
        });
      },
      cancel() {
        ended = true;
        source.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A web stream as a transport's body. */
export function sourceOf(stream: ReadableStream<Uint8Array>, length: number | undefined): BodySource {
  const reader = stream.getReader();
  let wake: (() => void) | undefined;
  let cancelled = false;
  return {
    length,
    pipe(sink) {
      void flow(sink);
    },
    resume() {
      wake?.();
      wake = undefined;
    },
    cancel() {
      cancelled = true;
      wake?.();
      // The producer's own failure while it is told to stop concerns nobody any more.
      reader.cancel().catch(() => undefined);
    },
  };

  async function flow(sink: BodySink): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (cancelled) return;
        if (done) break;
        if (!sink.write(value)) await new Promise<void>((resolve) => (wake = resolve));
      }
    } catch (error) {
      if (!cancelled) sink.fail(toError(error));
      return;
    }
    sink.end();
  }
}
