import { createHash, randomBytes } from 'node:crypto';
import type { Endpoint } from '../http/endpoint.ts';
import type { Session } from '../sessions/session.ts';
import type { AuthorizationRequest } from './authorize-request.ts';

/**
 * `session_state`: a hash of client, origin and the browser's state that a client's script can have compared, salted so
 * that clients cannot tell a user by it (OpenID Connect Session Management 2, identity 2.2).
 */
export function sessionState(
  { browserState }: Session,
  { clientId, redirectUri }: Pick<AuthorizationRequest, 'clientId' | 'redirectUri'>,
): string {
  const salt = randomBytes(12).toString('base64url');
  const { origin } = new URL(redirectUri);
  return `${createHash('sha256').update(`${clientId} ${origin} ${browserState} ${salt}`).digest('hex')}.${salt}`;
}

/** The frame that clients ask, and its script. Clients have to frame it, so of all pages this one may be framed. */
export function checkSessionEndpoints(): readonly Endpoint[] {
  return [
    {
      path: '/oidc/checksession',
      methods: ['GET'],
      handle: () => ({
        status: 200,
        headers: [
          'Content-Type',
          'text/html; charset=utf-8',
          'Content-Security-Policy',
          "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'",
          'X-Content-Type-Options',
          'nosniff',
          'Referrer-Policy',
          'no-referrer',
          'Cache-Control',
          'no-store',
        ],
        body: '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Session</title><script src="/oidc/checksession.js"></script></head><body></body></html>\n',
      }),
    },
    {
      path: '/oidc/checksession.js',
      methods: ['GET'],
      handle: () => ({
        status: 200,
        headers: ['Content-Type', 'text/javascript; charset=utf-8', 'X-Content-Type-Options', 'nosniff'],
        body: frameScript,
      }),
    },
  ];
}

const frameScript = `'use strict';
function browserState() {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith('opbs='));
  return found === undefined ? '' : found.slice('opbs='.length);
}
async function judge(message, origin) {
  if (typeof message !== 'string') return 'error';
  const space = message.lastIndexOf(' ');
  const [hash, salt, ...more] = message.slice(space + 1).split('.');
  if (space < 1 || !hash || !salt || more.length > 0) return 'error';
  const text = [message.slice(0, space), origin, browserState(), salt].join(' ');
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const expected = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return expected === hash ? 'unchanged' : 'changed';
}
addEventListener('message', async ({ data, origin, source }) => {
  source.postMessage(await judge(data, origin), origin);
});
`;
