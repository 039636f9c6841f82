import {
  defineOperation,
  jsonResponse,
  readCookie,
  RestError,
  serializeCookie,
  type Csrf,
  type Operation,
  type Principal,
} from '#rest';
import type { ConsoleUser, Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import type { Sso } from './sso.ts';

export const sessionCookie = '__Host-millrace-session';

export interface SessionParts {
  readonly sessions: Sessions;
  readonly csrf: Csrf;
  readonly signIn: SignIn;
  readonly sso: Sso | undefined;
}

/** A user as the API's operations see it. */
export interface ConsolePrincipal extends Principal {
  readonly user: ConsoleUser;
}

/** Looking and switching is for everybody who signed in; administering for administrators. */
export function principalOf(user: ConsoleUser): ConsolePrincipal {
  return {
    user,
    name: user.name,
    tenant: 'carbon.super',
    hasScope: (scope) => user.isAdmin || scope === 'view' || scope === 'operate',
  };
}

/** What the session's name in `request` is; writes of it must carry the CSRF token. */
export function sessionOf(request: Request): string | undefined {
  return readCookie(request, sessionCookie);
}

/** Signing in and out. */
export function sessionOperations({ sessions, csrf, signIn, sso }: SessionParts): readonly Operation[] {
  return [
    defineOperation({
      id: 'readSession',
      method: 'GET',
      path: '/session',
      summary: 'Who is signed in, how one can sign in, and the token that writes must carry',
      responses: { 200: { description: 'The session' } },
      public: true,
      handle({ request }) {
        const id = sessionOf(request);
        const user = sessions.find(id);
        const { token, cookie } = csrf.issue(user && id !== undefined ? id : '');
        return jsonResponse(
          {
            user: user && { name: user.name, isAdmin: user.isAdmin, by: user.by },
            csrfToken: token,
            sso: sso !== undefined,
          },
          200,
          { 'Set-Cookie': cookie },
        );
      },
    }),
    defineOperation({
      id: 'signIn',
      method: 'POST',
      path: '/session',
      summary: 'Signs in with a name and a password',
      body: (z) => z.object({ username: z.string().min(1).max(200), password: z.string().max(1000) }),
      responses: {
        200: { description: 'The session, its name in a cookie' },
        401: { description: 'Wrong credentials' },
      },
      public: true,
      audit: 'login',
      actor: ({ body }) => body?.username,
      async handle({ body, request, connection }) {
        const before = sessionOf(request);
        const session = sessions.find(before) && before !== undefined ? before : '';
        if (!csrf.verify(request, request.headers.get('X-CSRF-Token'), session)) throw csrfError();
        sessions.end(before);
        const user = await signIn(body.username, body.password, connection?.peer.address ?? '');
        const id = sessions.start(user);
        const { token, cookie } = csrf.issue(id);
        const response = jsonResponse({
          user: { name: user.name, isAdmin: user.isAdmin, by: user.by },
          csrfToken: token,
        });
        response.headers.append('Set-Cookie', serializeCookie(sessionCookie, id, { sameSite: 'Strict' }));
        response.headers.append('Set-Cookie', cookie);
        return response;
      },
    }),
    defineOperation({
      id: 'signOut',
      method: 'DELETE',
      path: '/session',
      summary: 'Signs out, with SSO from the provider too',
      responses: { 200: { description: '`location` is where the browser goes next' } },
      scope: 'view',
      audit: 'logout',
      async handle({ request }) {
        const user = sessions.end(sessionOf(request));
        const location = user?.by === 'sso' && sso ? await sso.signOut(user) : '/';
        return jsonResponse({ location }, 200, {
          'Set-Cookie': serializeCookie(sessionCookie, '', { maxAge: 0, sameSite: 'Strict' }),
        });
      },
    }),
  ];
}

export function csrfError(): RestError {
  return new RestError({
    code: 'MR_DASHBOARD_CSRF',
    status: 403,
    message: 'The request lacks the token of this session; load the page again',
  });
}
