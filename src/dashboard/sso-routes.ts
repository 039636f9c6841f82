import { getLogger, type Audit, type AuditEvent } from '#core';
import { messageOf, MillraceError } from '#errors';
import {
  html,
  pageResponse,
  readCookie,
  redirectResponse,
  serializeCookie,
  type Connection,
  type FetchHandler,
} from '#rest';
import { sessionCookie } from './session-operations.ts';
import type { ConsoleUser, Sessions } from './sessions.ts';
import type { Sso } from './sso.ts';

const log = getLogger('dashboard');
const attemptCookie = '__Host-millrace-sso';

export interface SsoRouteParts {
  readonly sso: Sso | undefined;
  readonly sessions: Sessions;
  readonly audit: Audit;
}

/** `/sso`: begins a sign-in at the identity provider, and takes its answer (management 3.3). */
export function ssoRoutes({ sso, sessions, audit }: SsoRouteParts): FetchHandler {
  return async (request, connection) => {
    const url = new URL(request.url);
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET' } });
    if (!sso || url.pathname !== '/sso')
      return refusalPage(404, sso ? 'There is no such page.' : 'Single sign-on is not turned on.');
    const isAnswer = url.searchParams.has('code') || url.searchParams.has('error');
    try {
      if (!isAnswer) return await begin(sso, url);
      const { user, returnTo } = await sso.finish(url.searchParams, readCookie(request, attemptCookie));
      audit.record(signedIn(user.name, 303, connection));
      return finish(sessions, user, returnTo);
    } catch (error) {
      const status = error instanceof MillraceError ? error.status : 500;
      if (isAnswer) audit.record(signedIn('anonymous', status, connection));
      log.warn({ reason: messageOf(error) }, 'a single sign-on failed');
      const told = error instanceof MillraceError ? error.message : 'The sign-in failed.';
      return refusalPage(status, told, { 'Set-Cookie': removed() });
    }
  };
}

async function begin(sso: Sso, url: URL): Promise<Response> {
  const wanted = url.searchParams.get('return') ?? '/';
  // Only a path of this server: `//host` would be another one.
  const returnTo = /^\/(?![/\\])/.test(wanted) ? wanted : '/';
  const { location, cookie } = await sso.begin(returnTo);
  // Lax, since the provider's answer is a navigation from another site.
  return redirectResponse(location, { 'Set-Cookie': serializeCookie(attemptCookie, cookie, { maxAge: 600 }) });
}

/** What the audit is told of a sign-in; who came is not known before the provider's answer was taken. */
function signedIn(actor: string, status: number, connection: Connection | undefined): AuditEvent {
  return {
    actor,
    tenant: 'carbon.super',
    action: 'login',
    target: '/sso',
    outcome: status < 400 ? 'success' : 'failure',
    detail: { status, ...(connection && { address: connection.peer.address }) },
  };
}

function finish(sessions: Sessions, user: ConsoleUser, returnTo: string): Response {
  const response = redirectResponse(returnTo);
  response.headers.append('Set-Cookie', serializeCookie(sessionCookie, sessions.start(user), { sameSite: 'Strict' }));
  response.headers.append('Set-Cookie', removed());
  return response;
}

function removed(): string {
  return serializeCookie(attemptCookie, '', { maxAge: 0 });
}

function refusalPage(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>Sign-in – Millrace</title>
    </head>
    <body>
      <h1>Sign-in did not work</h1>
      <p>${message}</p>
      <p><a href="/">Back to the console</a></p>
    </body>
  </html>`;
  return pageResponse(page, { status, headers });
}
