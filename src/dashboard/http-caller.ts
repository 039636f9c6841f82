import { systemClock } from '#core';
import { MillraceError } from '#errors';
import { getHeader, readBody, type HeaderList } from '#message';
import type { HttpSender } from '#transport';

/** Milliseconds within which a runtime or identity provider must have answered (management 6.3). */
const patience = 5_000;
/** Most bytes of an answer: the bulk list of a large runtime has some. */
const largestAnswer = 64 * 1024 * 1024;

export interface HttpCall {
  readonly method?: string;
  readonly url: string;
  readonly headers?: HeaderList;
  readonly body?: string | Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Asks another server; rejects only when there is no answer. */
export type HttpCaller = (call: HttpCall) => Promise<HttpAnswer>;

/**
 * Makes a caller over a sender.
 *
 * @throws MillraceError `MR_DASHBOARD_SLOW` (504) for an answer that does not come in time, else the sender's own error
 */
export function createHttpCaller(sender: HttpSender): HttpCaller {
  return ({ method = 'GET', url, headers = [], body }) =>
    new Promise((resolve, reject) => {
      const { origin, pathname, search } = new URL(url);
      const exchange = sender.send(
        {
          origin,
          method,
          target: pathname + search,
          headers: ['Accept', 'application/json', ...headers],
          body: body === undefined ? null : Buffer.from(body),
          idleTimeout: patience,
        },
        {
          onError: finish(reject),
          onResponse({ status, headers: received, body: source }) {
            const bytes = source ? readBody(source, largestAnswer) : Promise.resolve(new Uint8Array());
            bytes.then(
              finish((read: Uint8Array) =>
                resolve({
                  status,
                  headers: received,
                  bytes: read,
                  get text() {
                    return Buffer.from(read).toString('utf8');
                  },
                }),
              ),
              finish(reject),
            );
          },
        },
      );
      const cancel = systemClock.after(patience, () => {
        exchange.abort();
        reject(
          new MillraceError({
            code: 'MR_DASHBOARD_SLOW',
            status: 504,
            message: `${origin} did not answer within ${patience / 1000} s`,
          }),
        );
      });
      function finish<Value>(then: (value: Value) => void): (value: Value) => void {
        return (value) => {
          cancel();
          then(value);
        };
      }
    });
}

/** The JSON of an answer, or undefined when it is none. */
export function jsonOf(answer: HttpAnswer): unknown {
  if (answer.bytes.length === 0) return undefined;
  try {
    return JSON.parse(answer.text);
  } catch {
    // Not every path of the management API answers with JSON.
    return undefined;
  }
}

/** `Content-Type` of an answer, without parameters. */
export function typeOf(answer: HttpAnswer): string {
  return (getHeader(answer.headers, 'Content-Type') ?? '').split(';', 1)[0]?.trim() ?? '';
}
