import { systemClock } from '#core';
import type { PostForm } from '#identity';
import type { HttpSender } from '#transport';

/** Milliseconds within which a client must have answered a notice (identity 2.8). */
const patience = 20_000;

/** Sends forms to clients of the authorization server, over the server's own sender. */
export function formPoster(sender: HttpSender): PostForm {
  return (url, form) =>
    new Promise((resolve, reject) => {
      const { origin, pathname, search } = new URL(url);
      const exchange = sender.send(
        {
          origin,
          method: 'POST',
          target: pathname + search,
          headers: ['Content-Type', 'application/x-www-form-urlencoded', 'Accept', '*/*'],
          body: Buffer.from(form.toString()),
          idleTimeout: patience,
        },
        {
          onError(error) {
            cancel();
            reject(error);
          },
          onResponse({ status, body }) {
            cancel();
            // Only the status counts; what else the client says is not read.
            body?.cancel();
            resolve(status);
          },
        },
      );
      const cancel = systemClock.after(patience, () => exchange.abort());
    });
}
