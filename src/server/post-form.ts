import { systemClock } from '#core';
import type { PostForm } from '#identity';
import { ask, type HttpSender } from '#transport';

/** A client must have answered a notice within 20 seconds (identity 2.8); only its status counts. */
const limits = { clock: systemClock, patience: 20_000, size: 64 * 1024 } as const;

/** Sends forms to clients of the authorization server, over the server's own sender. */
export function formPoster(sender: HttpSender): PostForm {
  const headers = ['Content-Type', 'application/x-www-form-urlencoded', 'Accept', '*/*'];
  return async (url, form) => {
    const question = { url, method: 'POST', headers: [...headers], body: Buffer.from(form.toString()) };
    return (await ask(sender, question, limits)).status;
  };
}
