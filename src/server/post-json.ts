import { readBody, type HeaderList } from '#message';
import type { HttpSender } from '#transport';

/** Milliseconds within which the whole answer must be there, and its most bytes. */
const patience = 10_000;
const answerLimit = 64 * 1024;

/** A JSON document and where it goes. */
export interface JsonPost {
  readonly url: string;
  readonly body: string;
  /** Sent as a Bearer token, where it proves who posts. */
  readonly secret?: string | undefined;
}

/** Posts a JSON document; resolves with the answer's status and text. */
export function postJson(
  sender: HttpSender,
  { url, body, secret }: JsonPost,
): Promise<{ status: number; text: string }> {
  const { origin, pathname, search } = new URL(url);
  const headers: HeaderList = ['Content-Type', 'application/json', 'Accept', 'application/json'];
  if (secret !== undefined) headers.push('Authorization', `Bearer ${secret}`);
  return new Promise((resolve, reject) => {
    const exchange = sender.send(
      { origin, method: 'POST', target: pathname + search, headers, body: Buffer.from(body), idleTimeout: patience },
      {
        onError(error) {
          clearTimeout(timer);
          reject(error);
        },
        onResponse({ status, body: answer }) {
          const text = answer ? readBody(answer, answerLimit) : Promise.resolve(new Uint8Array());
          text
            .then((bytes) => resolve({ status, text: Buffer.from(bytes).toString('utf8') }), reject)
            .finally(() => clearTimeout(timer));
        },
      },
    );
    const timer = setTimeout(() => exchange.abort(), patience);
    timer.unref();
  });
}
