import { systemClock } from '#core';
import { ask, type Answer, type HeaderList, type HttpSender } from '#transport';

/** The whole answer must be there within 10 seconds, and have at most 64 KiB. */
const limits = { clock: systemClock, patience: 10_000, size: 64 * 1024 } as const;

/** A JSON document and where it goes. */
export interface JsonPost {
  readonly url: string;
  readonly body: string;
  /** Sent as a Bearer token, where it proves who posts. */
  readonly secret?: string | undefined;
}

/** Posts a JSON document. */
export function postJson(sender: HttpSender, { url, body, secret }: JsonPost): Promise<Answer> {
  const headers: HeaderList = ['Content-Type', 'application/json', 'Accept', 'application/json'];
  if (secret !== undefined) headers.push('Authorization', `Bearer ${secret}`);
  return ask(sender, { url, method: 'POST', headers, body: Buffer.from(body) }, limits);
}
