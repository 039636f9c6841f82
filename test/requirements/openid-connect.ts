import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { authorizeUrl, callback, createTestBrowser } from '../../src/identity/test-browser.ts';
import { headerOf } from '../../src/identity/test-identity.ts';
import { agreed, errorOf, refresh, tokensOf, type Requirement } from './flows.ts';

/** OpenID Connect. */
export const openidConnect: readonly Requirement[] = [
  [
    'OpenID Connect Core 3.1.2.1: prompt none never shows a page',
    async (server) => {
      assert.equal(await errorOf(server, { prompt: 'none', scope: 'openid' }), 'login_required');
      assert.equal(await errorOf(server, { prompt: 'none login' }), 'invalid_request');
    },
  ],
  [
    'OpenID Connect Core 2, 3.1.3.7: claims of the ID token',
    async (server) => {
      const tokens = await tokensOf(server, { nonce: 'n', max_age: '100' });
      const { iss, sub = '', aud, exp = 0, iat = 0, nonce, auth_time: at } = decodeJwt(String(tokens['id_token']));
      assert.equal(iss, 'https://localhost:9443/oauth2/token');
      assert.ok(sub.length <= 255 && exp > iat);
      assert.deepEqual([aud, nonce, typeof at], [['web'], 'n', 'number']);
      assert.ok(decodeProtectedHeader(String(tokens['id_token'])).kid);
    },
  ],
  [
    'OpenID Connect Core 3.2.2.9, 3.3.2.11: at_hash and c_hash are the left half of SHA-256',
    async (server) => {
      const {
        code = '',
        access_token: token = '',
        id_token: idToken = '',
      } = await agreed(server, {
        response_type: 'code id_token token',
        nonce: 'n',
      });
      const half = (text: string): string =>
        createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
      const claims = decodeJwt(idToken);
      assert.deepEqual([claims['at_hash'], claims['c_hash']], [half(token), half(code)]);
    },
  ],
  [
    'OpenID Connect Core 5.3.2: the subject of user info is that of the ID token',
    async (server) => {
      const tokens = await tokensOf(server);
      const headers = ['Authorization', `Bearer ${String(tokens['access_token'])}`];
      const userInfo = (await server.call('/oauth2/userinfo', { headers })).json();
      assert.equal(userInfo['sub'], decodeJwt(String(tokens['id_token'])).sub);
    },
  ],
  [
    'OpenID Connect Core 6.2, 7.2.1: what is not supported is named',
    async (server) => {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ request_uri: 'https://rp.example/r' }));
      assert.match(browser.place, /oauthErrorCode=request_uri_not_supported/);
      assert.equal(await errorOf(server, { registration: '{}' }), 'registration_not_supported');
    },
  ],
  [
    'OpenID Connect Core 12.2: a refreshed ID token has the same user and time of signing in, and no nonce',
    async (server) => {
      const first = await tokensOf(server, { nonce: 'n' });
      server.clock.advance(60_000);
      const second = (await refresh(server, first['refresh_token'])).json();
      const [before, after] = [first, second].map((tokens) => decodeJwt(String(tokens['id_token'])));
      assert.deepEqual([after?.sub, after?.iss, after?.aud], [before?.sub, before?.iss, before?.aud]);
      assert.deepEqual([after?.['auth_time'], after?.['nonce']], [before?.['auth_time'], undefined]);
    },
  ],
  [
    'OpenID Connect Discovery 3, 4: the document is JSON, for scripts of every origin, with what it has to have',
    async (server) => {
      const answer = await server.call('/oauth2/token/.well-known/openid-configuration');
      assert.equal(headerOf(answer, 'Content-Type'), 'application/json');
      assert.equal(headerOf(answer, 'Access-Control-Allow-Origin'), '*');
      const metadata = answer.json() as Record<string, unknown[]>;
      assert.ok(metadata['id_token_signing_alg_values_supported']?.includes('RS256'));
      assert.ok(metadata['scopes_supported']?.includes('openid'));
      assert.deepEqual(metadata['subject_types_supported'], ['public']);
    },
  ],
  [
    'OpenID Connect Discovery 2: webfinger names the issuer, of a tenant for its users',
    async (server) => {
      const ask = async (resource: string): Promise<unknown> => {
        const rel = 'http://openid.net/specs/connect/1.0/issuer';
        const query = new URLSearchParams({ resource, rel }).toString();
        return (await server.call(`/.well-known/webfinger?${query}`)).json()['links'];
      };
      const rel = 'http://openid.net/specs/connect/1.0/issuer';
      assert.deepEqual(await ask('https://localhost:9443'), [{ rel, href: 'https://localhost:9443/oauth2/token' }]);
      const href = 'https://localhost:9443/t/acme.com/oauth2/token';
      assert.deepEqual(await ask('acct:ada@acme.com'), [{ rel, href }]);
      assert.equal((await server.call('/.well-known/webfinger')).status, 400);
    },
  ],
  [
    'OpenID Connect Session Management 3.2, 3.3: the frame may be framed, and its script compares',
    async (server) => {
      const frame = await server.call('/oidc/checksession');
      assert.equal(headerOf(frame, 'X-Frame-Options'), undefined);
      assert.doesNotMatch(headerOf(frame, 'Content-Security-Policy') ?? '', /frame-ancestors/);
      assert.match((await server.call('/oidc/checksession.js')).text, /postMessage/);
    },
  ],
  [
    'OAuth 2.0 Form Post Response Mode 2: the form is not kept and works without scripts',
    async (server) => {
      const answer = await server.call(authorizeUrl({ prompt: 'none', response_mode: 'form_post' }));
      assert.equal(headerOf(answer, 'Cache-Control'), 'no-store');
      assert.match(answer.text, /<button>/);
    },
  ],
  [
    'OpenID Connect Core 3.1.2.1: a request may come by POST',
    async (server) => {
      const form = { client_id: 'web', response_type: 'code', redirect_uri: callback, scope: 'openid' };
      const answer = await server.call('/oauth2/authorize', { form });
      assert.ok(answer.status === 302 || answer.status === 303, String(answer.status));
    },
  ],
  [
    'OpenID Connect Core 3.1.2.1: what only advises does no harm, and unknown scopes neither',
    async (server) => {
      const given = {
        display: 'popup',
        ui_locales: 'fr de',
        claims_locales: 'en',
        acr_values: 'urn:x',
        scope: 'openid unheard-of',
      };
      assert.ok((await agreed(server, given))['code']);
    },
  ],
  [
    'OpenID Connect Core 3.2.2.1, 3.3.2.11: without a nonce no ID token comes by the browser',
    async (server) => {
      for (const type of ['id_token', 'id_token token', 'code id_token']) {
        assert.equal(await errorOf(server, { response_type: type, scope: 'openid' }), 'invalid_request', type);
      }
    },
  ],
  [
    'OpenID Connect Core 5.3.1: user info is asked for by GET and by POST',
    async (server) => {
      const tokens = await tokensOf(server);
      const headers = ['Authorization', `Bearer ${String(tokens['access_token'])}`];
      for (const method of ['GET', 'POST']) {
        assert.equal((await server.call('/oauth2/userinfo', { method, headers })).status, 200, method);
      }
    },
  ],
  [
    'OpenID Connect Core 10.1: the keys that sign are published, without what is secret',
    async (server) => {
      const tokens = await tokensOf(server);
      const { keys } = (await server.call('/oauth2/jwks')).json() as { keys: Record<string, unknown>[] };
      const { kid } = decodeProtectedHeader(String(tokens['id_token']));
      assert.ok(keys.some((key) => key['kid'] === kid && key['use'] === 'sig'));
      for (const key of keys) assert.deepEqual([key['d'], key['p'], key['k']], [undefined, undefined, undefined]);
    },
  ],
  [
    'OpenID Connect Core 15.1: RS256 is what ID tokens are signed with',
    async (server) => {
      const tokens = await tokensOf(server);
      assert.equal(decodeProtectedHeader(String(tokens['id_token'])).alg, 'RS256');
    },
  ],
  [
    'OpenID Connect RP-Initiated Logout 2, 3: an address that is not registered is not followed',
    async (server) => {
      const { id_token: hint } = await tokensOf(server);
      const target = (uri: string): string =>
        `/oidc/logout?${new URLSearchParams({ id_token_hint: String(hint), post_logout_redirect_uri: uri, state: 's' }).toString()}`;
      const bad = createTestBrowser(server);
      await bad.open(target('https://evil.example/'));
      assert.equal(bad.away, undefined);
      const good = createTestBrowser(server);
      await good.open(target('https://rp.example/bye'));
      assert.equal(good.away?.href, 'https://rp.example/bye?state=s');
    },
  ],
];
