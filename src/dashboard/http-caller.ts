import { systemClock } from '#core';
import { getHeader, type HeaderList } from '#message';
import { ask, type Answer, type HttpSender } from '#transport';

/** A runtime or identity provider must have answered within 5 seconds (management 6.3); the bulk list of one may be long. */
const limits = { clock: systemClock, patience: 5_000, size: 64 * 1024 * 1024 } as const;

export interface HttpCall {
  readonly method?: string;
  readonly url: string;
  readonly headers?: HeaderList;
  readonly body?: string | Uint8Array;
}

export type HttpAnswer = Answer;

/** Asks another server; rejects only when there is no answer. */
export type HttpCaller = (call: HttpCall) => Promise<HttpAnswer>;

/**
 * Makes a caller over a sender.
 *
 * @throws what `ask` throws, such as MillraceError `MR_NO_ANSWER` (504)
 */
export function createHttpCaller(sender: HttpSender): HttpCaller {
  return ({ method = 'GET', url, headers = [], body }) => {
    const sent = body === undefined ? null : Buffer.from(body);
    return ask(sender, { method, url, headers: ['Accept', 'application/json', ...headers], body: sent }, limits);
  };
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
