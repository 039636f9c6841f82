import { systemClock } from '#core';
import { MillraceError, messageOf } from '#errors';
import type { FetchText } from '#identity';
import { ask, type HttpSender } from '#transport';

/** The whole text must be there within 10 seconds, and have at most 256 KiB. */
const limits = { clock: systemClock, patience: 10_000, size: 256 * 1024 } as const;

/** Fetches texts such as key sets over the server's own sender. Redirects are not followed. */
export function textFetcher(sender: HttpSender): FetchText {
  return async (url) => {
    const question = { url, method: 'GET', headers: ['Accept', 'application/json, */*'], body: null };
    const answer = await ask(sender, question, limits).catch((error: unknown) => {
      throw failure(url, messageOf(error), error);
    });
    if (answer.status !== 200 || answer.bytes.length === 0) {
      throw failure(url, `expected the status 200 and a body, found ${answer.status}`);
    }
    return answer.text;
  };
}

function failure(url: string, message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: 'MR_FETCH', message: `${url}: ${message}`, status: 502, cause });
}
