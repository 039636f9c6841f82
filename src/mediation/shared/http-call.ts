import type { HeaderList } from '#message';
import type { MediationServices } from '../context.ts';
import { splitUrl } from '../endpoints/url.ts';
import { ask, type Answer } from '#transport';

/** A request that a mediator itself makes, beside the flow of the message. */
export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: string;
  /** Milliseconds within which the head of the answer must come; the global timeout when absent. */
  readonly timeout?: number | undefined;
}

export type HttpAnswer = Answer;

/**
 * Makes a request and reads the whole answer.
 *
 * @throws Fault for an address that is no URL, and what `ask` throws
 */
export async function httpCall(call: HttpCall, services: MediationServices): Promise<HttpAnswer> {
  const { sender, clock, settings } = services;
  splitUrl(call.url);
  const limits = { clock, patience: call.timeout ?? settings.globalTimeout, size: settings.maxBodyBytes };
  const { url, method, headers } = call;
  return ask(sender, { url, method, headers, body: Buffer.from(call.body) }, limits);
}

/** The value of an `Authorization` header for a user and a password. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
