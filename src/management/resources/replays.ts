import { defineOperation, pick, type Operation } from '#rest';
import { ask, createHttpSender } from '#transport';
import { refusal } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** A replayed request gets as much time and room as somebody who waits before a screen wants to give it. */
const limits = { patience: 60_000, size: 8 * 1024 * 1024 } as const;
/** The way of a request sets these by itself. */
const notSent = new Set(['host', 'content-length', 'transfer-encoding', 'connection']);
/** Media types whose bodies can be shown as text. */
const textual = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|x-www-form-urlencoded)\b)/i;

/** `/millrace/replays`: sends a request to the runtime's own APIs once more, as after a trace or a repair. */
export function replayOperations(runtime: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'replay',
      method: 'POST',
      path: '/millrace/replays',
      summary:
        'Sends a request to an API or proxy service of this runtime and tells the answer, with what is secret masked',
      body: (z) =>
        z.object({
          method: z.string().regex(/^[A-Z]{1,20}$/),
          path: z.string().regex(/^\/[\x21-\x7e]*$/),
          headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), z.string().regex(/^[^\r\n]*$/)).default({}),
          body: z.string().optional(),
        }),
      responses: {
        200: { description: 'What the API answered' },
        409: { description: 'The runtime takes no messages' },
      },
      scope: 'admin',
      audited: ({ body }) => ({
        action: 'triggered',
        type: 'replay',
        // A query may hold secrets.
        info: { path: body?.path.replace(/\?.*/, ''), ...pick(body, 'method') },
      }),
      async handle({ body: { method, path, headers, body } }) {
        const url = runtime.ownUrl();
        if (url === undefined) throw refusal(409, 'This runtime takes no messages over HTTP without TLS');
        await using sender = createHttpSender({ connectionsPerOrigin: 1 });
        const began = runtime.clock.monotonic();
        const answer = await ask(
          sender,
          {
            method,
            url: `${url}${path}`,
            headers: Object.entries(headers)
              .filter(([name]) => !notSent.has(name.toLowerCase()))
              .flat(),
            body: body === undefined ? null : Buffer.from(body),
          },
          { ...limits, clock: runtime.clock },
        );
        const cover = runtime.observer.masking.begin();
        // What was sent may come back: what a rule covers there is not shown here.
        for (const [name, value] of Object.entries(headers)) cover.header(name, value);
        if (body !== undefined) cover.text(body);
        const received = [...pairs(answer.headers)];
        const type = received.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'text/plain';
        const text = textual.test(type) ? cover.text(answer.text) : undefined;
        const shown = received.map(([name, value]) => [name, cover.header(name, value)] as const);
        return {
          status: answer.status,
          duration: runtime.clock.monotonic() - began,
          headers: shown.map(([name, value]) => [name, cover.again(value)]),
          size: answer.bytes.length,
          ...(text !== undefined && { body: cover.again(text) }),
        };
      },
    }),
  ];
}

function* pairs(headers: readonly string[]): Generator<readonly [string, string]> {
  for (let index = 0; index < headers.length; index += 2) yield [headers[index] ?? '', headers[index + 1] ?? ''];
}
