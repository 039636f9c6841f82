// A process of its own that passes every request on to the origin of its first argument, and tells its memory when asked.
import process from 'node:process';
import { createHttpSender, startHttpListener } from '#transport';

const origin = process.argv[2] ?? '';
const sender = createHttpSender();
const listener = await startHttpListener({ host: '127.0.0.1', port: 0 }, (request, responder) => {
  const { method, target, headers, body } = request;
  sender.send(
    { origin, method, target, headers, body },
    {
      onResponse: (response) => responder.respond(response, response.body),
      onError: () => responder.respond({ status: 502, headers: [] }, null),
    },
  );
});

process.on('message', () => {
  globalThis.gc?.();
  process.send?.({ rss: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: listener.port });
