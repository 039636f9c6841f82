import { systemClock } from '#core';
import type { PostForm, PutForm } from '#identity';
import { ask, type HttpSender } from '#transport';

/** Whoever gets a form must have answered within 20 seconds (identity 2.8); only the status counts. */
const limits = { clock: systemClock, patience: 20_000, size: 64 * 1024 } as const;

/** Sends forms to clients of the authorization server, over the server's own sender. */
export function formPoster(sender: HttpSender): PostForm {
  const headers = ['Content-Type', 'application/x-www-form-urlencoded', 'Accept', '*/*'];
  return async (url, form) => {
    const question = { url, method: 'POST', headers: [...headers], body: Buffer.from(form.toString()) };
    return (await ask(sender, question, limits)).status;
  };
}

/** Puts forms into a store that speaks HTTP, over the server's own sender. */
export function formPutter(sender: HttpSender): PutForm {
  return async (url, form, authorization) => {
    const headers = ['Content-Type', 'application/x-www-form-urlencoded', 'Accept', '*/*'];
    if (authorization !== undefined) headers.push('Authorization', authorization);
    const question = { url, method: 'PUT', headers, body: Buffer.from(form.toString()) };
    return (await ask(sender, question, limits)).status;
  };
}
