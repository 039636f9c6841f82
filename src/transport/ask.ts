import type { Clock } from '#core';
import { MillraceError } from '#errors';
import { readBody } from '#message';
import type { HeaderList, HttpSender, OutgoingRequest } from './contract.ts';

/** A request of the program's own, beside the messages. */
export interface Question extends Omit<OutgoingRequest, 'origin' | 'target' | 'idleTimeout'> {
  readonly url: string;
}

/** How long an answer may take, in milliseconds, and how many bytes its body may have; with 0 it is not read at all. */
export interface AskLimits {
  readonly clock: Clock;
  readonly patience: number;
  readonly size: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly bytes: Uint8Array;
  /** The body as UTF-8. */
  readonly text: string;
}

/**
 * Asks a server and reads the whole answer. Redirects are not followed.
 *
 * @throws TransportError when there is no answer, MillraceError `MR_NO_ANSWER` (504) when it is not whole in time,
 *   `MR_BODY_TOO_LARGE` (413), TypeError for an address that is no URL
 */
export async function ask(sender: HttpSender, { url, ...question }: Question, limits: AskLimits): Promise<Answer> {
  const { clock, patience, size } = limits;
  const { origin, pathname, search } = new URL(url);
  const request = { ...question, origin, target: pathname + search, idleTimeout: patience };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const exchange = sender.send(request, {
    onError: reject,
    onResponse({ status, headers, body }) {
      if (size === 0) body?.cancel();
      const read = body && size > 0 ? readBody(body, size) : Promise.resolve(new Uint8Array());
      read.then((bytes) => resolve(answerOf(status, headers, bytes)), reject);
    },
  });
  const cancel = clock.after(patience, () => {
    const message = `${origin} gave no answer within ${patience} ms`;
    reject(new MillraceError({ code: 'MR_NO_ANSWER', status: 504, message }));
    exchange.abort();
  });
  try {
    return await promise;
  } finally {
    cancel();
  }
}

function answerOf(status: number, headers: HeaderList, bytes: Uint8Array): Answer {
  return {
    status,
    headers,
    bytes,
    get text() {
      return Buffer.from(bytes).toString('utf8');
    },
  };
}
