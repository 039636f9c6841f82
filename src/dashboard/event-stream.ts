import type { Registry } from './registry.ts';

/** Milliseconds between comments that keep a stream open through proxies. */
const heartbeat = 15_000;

/** Events of the registry as `text/event-stream`, until `signal` is aborted or the reader goes away. */
export function encodeEvents(registry: Registry, signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  let stop = (): void => undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      write('retry: 3000\n\n');
      const unsubscribe = registry.subscribe((event) =>
        write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
      );
      const timer = setInterval(() => write(': \n\n'), heartbeat);
      timer.unref();
      let isOver = false;
      stop = () => {
        if (isOver) return;
        isOver = true;
        clearInterval(timer);
        unsubscribe();
      };
      const end = (): void => {
        if (isOver) return;
        stop();
        controller.close();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    },
    cancel: () => stop(),
  });
  return new Response(stream, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  });
}
