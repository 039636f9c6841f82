import { getLogger } from '#core';
import { messageOf, MillraceError } from '#errors';
import { html, pageResponse, readCookie, redirectResponse, serializeCookie, type FetchHandler } from '#rest';
import { sessionCookie } from './session-operations.ts';
import type { Sessions } from './sessions.ts';
import type { Sso } from './sso.ts';

const log = getLogger('dashboard');
const attemptCookie = '__Host-millrace-sso';

/** `/sso`: begins a sign-in at the identity provider, and takes its answer (management 3.3). */
export function ssoRoutes(sso: Sso | undefined, sessions: Sessions): FetchHandler {
  return async (request) => {
    const url = new URL(request.url);
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET' } });
    if (!sso || url.pathname !== '/sso')
      return refusalPage(404, sso ? 'There is no such page.' : 'Single sign-on is not turned on.');
    try {
      const isAnswer = url.searchParams.has('code') || url.searchParams.has('error');
      return isAnswer ? await finish(sso, sessions, request) : await begin(sso, url);
    } catch (error) {
      const status = error instanceof MillraceError ? error.status : 500;
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

async function finish(sso: Sso, sessions: Sessions, request: Request): Promise<Response> {
  const { user, returnTo } = await sso.finish(new URL(request.url).searchParams, readCookie(request, attemptCookie));
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
