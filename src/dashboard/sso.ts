import { createHash, randomBytes } from 'node:crypto';
import { MillraceError } from '#errors';
import { jwtVerify, type JWTPayload } from 'jose';
import type { Clock } from '#core';
import { jsonOf, type HttpCaller } from './http-caller.ts';
import { asList, asRecord, asText } from './json-shape.ts';
import type { ConsoleUser } from './sessions.ts';
import type { SsoSettings } from './settings.ts';
import { createSsoProvider } from './sso-provider.ts';

/** Signing in with OpenID Connect: the code is exchanged here, and no token reaches the browser. */
export interface Sso {
  /** Where the browser goes, and what it must bring back in a cookie. */
  begin(returnTo: string): Promise<{ readonly location: string; readonly cookie: string }>;
  /** Takes what the provider sent back. @throws MillraceError `MR_SSO_*` with the reason */
  finish(query: URLSearchParams, cookie: string | undefined): Promise<{ user: ConsoleUser; returnTo: string }>;
  /** Revokes what the user has, and says where the browser ends its session with the provider. */
  signOut(user: ConsoleUser): Promise<string>;
  /** The user of an access token of the provider. @throws MillraceError `MR_SSO_TOKEN` (401) */
  bearer(token: string): Promise<ConsoleUser>;
}

interface Attempt {
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly cookie: string;
  readonly until: number;
}

const attemptTime = 10 * 60_000;
const mostAttempts = 10_000;
const clockTolerance = 60;
/** Only signatures that need the provider's private key. */
const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export function createSso(settings: SsoSettings, parts: { readonly call: HttpCaller; readonly clock: Clock }): Sso {
  const { call, clock } = parts;
  const provider = createSsoProvider(settings, call);
  const attempts = new Map<string, Attempt>();
  const verified = new Map<string, { readonly user: ConsoleUser; readonly until: number }>();

  const verify = async (token: string): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, provider.keys, {
      issuer: settings.issuer,
      audience: [...settings.audiences],
      algorithms: [...(settings.algorithms ?? asymmetric)],
      clockTolerance,
      currentDate: new Date(clock.now()),
      requiredClaims: ['sub', 'exp'],
    });
    return payload;
  };
  const userInfo = async (accessToken: string): Promise<Readonly<Record<string, unknown>>> => {
    const url = await provider.findEndpoint('userinfo');
    if (url === undefined) return {};
    const answer = await call({ url, headers: ['Authorization', `Bearer ${accessToken}`] });
    return answer.status === 200 ? asRecord(jsonOf(answer)) : {};
  };
  const isAdmin = (claims: Readonly<Record<string, unknown>>): boolean => {
    const groups = claims[settings.groupClaim];
    const list = typeof groups === 'string' ? groups.split(',') : asList(groups);
    return list.some((group) => settings.adminGroups.includes(String(group).trim()));
  };
  /** Claims of the token, and those that only user info has. */
  const withUserInfo = async (
    claims: Readonly<Record<string, unknown>>,
    accessToken: string | undefined,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const isComplete = claims[settings.groupClaim] !== undefined && claims[settings.nameClaim] !== undefined;
    if (isComplete || accessToken === undefined) return claims;
    const more = await userInfo(accessToken);
    // User info of somebody else must not decide (OpenID Connect Core 5.3.2).
    return claims['sub'] === undefined || more['sub'] === claims['sub'] ? { ...more, ...claims } : claims;
  };
  const nameOf = (claims: Readonly<Record<string, unknown>>): string =>
    asText(claims[settings.nameClaim]) ?? asText(claims['sub']) ?? 'unknown';

  const exchange = async (code: string, attempt: Attempt): Promise<Readonly<Record<string, unknown>>> => {
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: settings.redirectUrl });
    if (settings.usesPkce) form.set('code_verifier', attempt.verifier);
    const headers = ['Content-Type', 'application/x-www-form-urlencoded'];
    if (settings.clientSecret === undefined) form.set('client_id', settings.clientId);
    else headers.push('Authorization', basicOf(settings.clientId, settings.clientSecret));
    const answer = await call({
      method: 'POST',
      url: await provider.endpoint('token'),
      headers,
      body: form.toString(),
    });
    const body = asRecord(jsonOf(answer));
    if (answer.status === 200) return body;
    throw refused(
      'MR_SSO_CODE',
      `The identity provider refused the code: ${asText(body['error_description']) ?? asText(body['error']) ?? answer.status}`,
    );
  };

  const introspect = async (token: string): Promise<ConsoleUser> => {
    const url = await provider.endpoint('introspect');
    const form = new URLSearchParams({
      token,
      client_id: settings.clientId,
      client_secret: settings.clientSecret ?? '',
    });
    const answer = await call({
      method: 'POST',
      url,
      headers: ['Content-Type', 'application/x-www-form-urlencoded'],
      body: form.toString(),
    });
    const said = asRecord(jsonOf(answer));
    if (answer.status !== 200 || said['active'] !== true) throw refused('MR_SSO_TOKEN', 'The token is not valid');
    const claims = await withUserInfo({ sub: said['sub'] }, token);
    return { name: nameOf({ username: said['username'], ...claims }), isAdmin: isAdmin(claims), by: 'sso' };
  };

  return {
    async begin(returnTo) {
      const [state, nonce, verifier, cookie] = [random(), random(), random(), random()] as const;
      for (const [key, { until }] of attempts) if (until < clock.now()) attempts.delete(key);
      if (attempts.size >= mostAttempts) attempts.delete(attempts.keys().next().value ?? '');
      attempts.set(state, { nonce, verifier, returnTo, cookie, until: clock.now() + attemptTime });
      const location = new URL(await provider.endpoint('authorize'));
      const parameters = {
        response_type: 'code',
        client_id: settings.clientId,
        redirect_uri: settings.redirectUrl,
        response_mode: 'query',
        scope: settings.scope,
        state,
        nonce,
        ...(settings.usesPkce && { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }),
        ...Object.fromEntries(settings.parameters),
      };
      for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
      return { location: location.href, cookie };
    },
    async finish(query, cookie) {
      const state = query.get('state') ?? '';
      const attempt = attempts.get(state);
      // Whatever comes of it, a state counts once.
      attempts.delete(state);
      if (!attempt || attempt.until < clock.now() || attempt.cookie !== cookie) {
        throw refused('MR_SSO_STATE', 'This sign-in was not begun here, was used already or is too old; begin again');
      }
      const error = query.get('error');
      if (error !== null) {
        throw refused('MR_SSO_REFUSED', `The identity provider said: ${query.get('error_description') ?? error}`);
      }
      const code = query.get('code');
      if (code === null) throw refused('MR_SSO_CODE', 'The identity provider sent no code');
      const tokens = await exchange(code, attempt);
      const idToken = asText(tokens['id_token']);
      if (idToken === undefined)
        throw refused('MR_SSO_TOKEN', 'The identity provider sent no ID token; is openid in its scopes?');
      const payload = await verify(idToken).catch((cause: unknown) => {
        throw tokenError(cause);
      });
      if (payload['nonce'] !== attempt.nonce)
        throw refused('MR_SSO_TOKEN', 'The ID token was made for another sign-in');
      const accessToken = asText(tokens['access_token']);
      const claims = await withUserInfo(payload, accessToken);
      const user = { name: nameOf(claims), isAdmin: isAdmin(claims), by: 'sso', idToken, accessToken } as const;
      return { user, returnTo: attempt.returnTo };
    },
    async signOut(user) {
      const revoke = await provider.findEndpoint('revoke');
      if (revoke !== undefined && user.accessToken !== undefined) {
        const form = new URLSearchParams({ token: user.accessToken, client_id: settings.clientId });
        const headers = ['Content-Type', 'application/x-www-form-urlencoded'];
        if (settings.clientSecret !== undefined) {
          headers.push('Authorization', basicOf(settings.clientId, settings.clientSecret));
        }
        // The session here has ended already: a provider that cannot be reached does not keep the user signed in.
        await call({ method: 'POST', url: revoke, headers, body: form.toString() }).catch(() => undefined);
      }
      const end = await provider.findEndpoint('endSession');
      if (end === undefined) return settings.signedOutUrl;
      const location = new URL(end);
      location.searchParams.set('post_logout_redirect_uri', settings.signedOutUrl);
      if (user.idToken !== undefined) location.searchParams.set('id_token_hint', user.idToken);
      else location.searchParams.set('client_id', settings.clientId);
      return location.href;
    },
    async bearer(token) {
      const key = createHash('sha256').update(token).digest('base64url');
      const known = verified.get(key);
      if (known && known.until > clock.now()) return known.user;
      let user: ConsoleUser;
      if (token.split('.').length === 3) {
        const claims = await verify(token).catch((cause: unknown) => {
          throw tokenError(cause);
        });
        user = { name: nameOf(claims), isAdmin: isAdmin(claims), by: 'sso' };
      } else user = await introspect(token);
      if (verified.size > 1000) verified.clear();
      verified.set(key, { user, until: clock.now() + 30_000 });
      return user;
    },
  };
}

function random(): string {
  // A verifier has at least 43 characters (RFC 7636, 4.1).
  return randomBytes(32).toString('base64url');
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function basicOf(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
}

function tokenError(cause: unknown): MillraceError {
  if (cause instanceof MillraceError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new MillraceError({
    code: 'MR_SSO_TOKEN',
    status: 401,
    message: `The token is not accepted: ${reason}`,
    cause,
  });
}

function refused(code: string, message: string): MillraceError {
  return new MillraceError({ code, status: 401, message });
}
