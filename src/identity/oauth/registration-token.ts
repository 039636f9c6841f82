import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { getHeader } from '#message';
import type { EndpointRequest } from '../http/endpoint.ts';
import { isUsable, type Client } from './client.ts';

/** A new token with which a client manages its own registration (RFC 7592 §3), and what is kept of it. */
export function newRegistrationToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: digestOf(token) };
}

/** The token of the request, when it is that of the client; one that was stopped manages nothing. */
export function ownToken(client: Client, { headers }: Pick<EndpointRequest, 'headers'>): string | undefined {
  const [, token] = /^Bearer +([\w-]{43}) *$/i.exec(getHeader(headers, 'Authorization') ?? '') ?? [];
  if (token === undefined || client.registrationTokenHash === undefined || !isUsable(client)) return undefined;
  const isSame = timingSafeEqual(Buffer.from(digestOf(token)), Buffer.from(client.registrationTokenHash));
  return isSame ? token : undefined;
}

function digestOf(token: string): string {
  return hash('sha256', token, 'hex');
}
