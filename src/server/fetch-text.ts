import { systemClock } from '#core';
import { MillraceError } from '#errors';
import type { FetchText } from '#identity';
import { readBody } from '#message';
import type { HttpSender } from '#transport';

/** Milliseconds within which the whole text must be there. */
const patience = 10_000;

/** Most bytes of a text. */
const sizeLimit = 256 * 1024;

/** Fetches texts such as key sets over the server's own sender. Redirects are not followed. */
export function textFetcher(sender: HttpSender): FetchText {
  return (url) =>
    new Promise((resolve, reject) => {
      const { origin, pathname, search } = new URL(url);
      const fail = (message: string, cause?: unknown): void => {
        cancel();
        reject(new MillraceError({ code: 'MR_FETCH', message: `${url}: ${message}`, status: 502, cause }));
      };
      const exchange = sender.send(
        {
          origin,
          method: 'GET',
          target: pathname + search,
          headers: ['Accept', 'application/json, */*'],
          body: null,
          idleTimeout: patience,
        },
        {
          onError: (error) => fail('the server does not answer', error),
          onResponse({ status, body }) {
            if (status !== 200 || body === null) {
              body?.cancel();
              fail(`expected the status 200 and a body, found ${status}`);
              return;
            }
            const read = readBody(body, sizeLimit).then((bytes) => Buffer.from(bytes).toString('utf8'));
            void read
              .then(resolve, (error: unknown) => fail('the answer cannot be read', error))
              .finally(() => cancel());
          },
        },
      );
      const cancel = systemClock.after(patience, () => exchange.abort());
    });
}
