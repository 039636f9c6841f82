import { readBody, type HeaderList } from '#message';
import type { MediationServices } from '../context.ts';
import { splitUrl } from '../endpoints/url.ts';
import type { Exchange } from '#transport';

/** A request that a mediator itself makes, beside the flow of the message. */
export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: string;
  /** Milliseconds within which the head of the answer must come; the global timeout when absent. */
  readonly timeout?: number | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly text: string;
}

/**
 * Makes a request and reads the whole answer.
 *
 * @throws Fault for an address that is no URL, TransportError when there is no answer, MillraceError 413 for one that
 *   is too large, Error when it does not come in time
 */
export function httpCall(call: HttpCall, services: MediationServices): Promise<HttpAnswer> {
  const { sender, clock, settings } = services;
  const timeout = call.timeout ?? settings.globalTimeout;
  const { origin, target } = splitUrl(call.url);
  const request = { origin, target, method: call.method, headers: call.headers, body: Buffer.from(call.body) };
  return new Promise((resolve, reject) => {
    let exchange: Exchange | undefined;
    const cancelTimer = clock.after(timeout, () => {
      reject(new Error(`${origin} gave no answer within ${timeout} ms`));
      exchange?.abort();
    });
    exchange = sender.send(request, {
      onResponse({ status, headers, body }) {
        const read = body ? readBody(body, settings.maxBodyBytes) : Promise.resolve(new Uint8Array());
        read
          .then((bytes) => resolve({ status, headers, text: Buffer.from(bytes).toString('utf8') }))
          .catch(reject)
          .finally(cancelTimer);
      },
      onError(error) {
        cancelTimer();
        reject(error);
      },
    });
  });
}

/** The value of an `Authorization` header for a user and a password. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
