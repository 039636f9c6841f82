import { systemClock } from '#core';
import type { PostForm, PutForm } from '#identity';
import { ask, type HttpSender, type Question } from '#transport';

/** Whoever gets a form must have answered within 20 seconds (identity 2.8); only the status counts. */
const limits = { clock: systemClock, patience: 20_000, size: 0 } as const;

/** Sends forms to clients of the authorization server, over the server's own sender. */
export function formPoster(sender: HttpSender): PostForm {
  return (url, form) => statusOf(sender, questionOf(form, { url, method: 'POST' }));
}

/** Puts forms into a store that speaks HTTP, over the server's own sender. */
export function formPutter(sender: HttpSender): PutForm {
  return (url, form, authorization) => statusOf(sender, questionOf(form, { url, method: 'PUT', authorization }));
}

interface Address {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly authorization?: string | undefined;
}

function questionOf(form: URLSearchParams, { url, method, authorization }: Address): Question {
  const headers = ['Content-Type', 'application/x-www-form-urlencoded', 'Accept', '*/*'];
  if (authorization !== undefined) headers.push('Authorization', authorization);
  return { url, method, headers, body: Buffer.from(form.toString()) };
}

async function statusOf(sender: HttpSender, question: Question): Promise<number> {
  return (await ask(sender, question, limits)).status;
}
