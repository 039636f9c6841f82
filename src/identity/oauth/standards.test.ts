import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { authorizeUrl, callback, createTestBrowser, prepare, signedIn } from '../test-browser.ts';
import { basic, headerOf, startTestIdentity, type TestAnswer, type TestIdentity } from '../test-identity.ts';

/** One requirement of a standard, named by its section, and what shows that it is kept. */
type Requirement = readonly [name: string, show: (server: TestIdentity) => Promise<void>];
type Given = Readonly<Record<string, string>>;

async function agreed(server: TestIdentity, given: Given = {}): Promise<Given> {
  const browser = await signedIn(server, { scope: 'openid', ...given });
  await browser.submit({ consent: 'approve' });
  return browser.returned();
}

function redeem(server: TestIdentity, form: Given): Promise<TestAnswer> {
  const all = { grant_type: 'authorization_code', redirect_uri: callback, ...form };
  return server.call('/oauth2/token', { headers: basic('web'), form: all });
}

async function tokensOf(server: TestIdentity, given: Given = {}): Promise<Record<string, unknown>> {
  const { code = '' } = await agreed(server, given);
  return (await redeem(server, { code })).json();
}

function refresh(server: TestIdentity, token: unknown, more: Given = {}): Promise<TestAnswer> {
  const form = { grant_type: 'refresh_token', refresh_token: String(token), ...more };
  return server.call('/oauth2/token', { headers: basic('web'), form });
}

async function errorOf(server: TestIdentity, given: Given): Promise<string | undefined> {
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl(given));
  return browser.returned()['error'];
}

const requirements: readonly Requirement[] = [
  [
    'RFC 6749 3.1: unknown parameters are ignored, empty ones are absent, repeated ones are refused',
    async (server) => {
      assert.ok((await agreed(server, { extra: 'x', nonce: '', max_age: '' }))['code']);
      const browser = createTestBrowser(server);
      await browser.open(`${authorizeUrl({})}&state=1&state=2`);
      assert.equal(browser.returned()['error'], 'invalid_request');
    },
  ],
  [
    'RFC 6749 3.1.2: the query of a redirection endpoint is kept',
    async (server) => {
      const uri = 'https://rp.example/cb?tenant=1';
      await server.client('query', { grantTypes: ['authorization_code'], redirectUris: [uri] });
      const { tenant, code } = await agreed(server, { client_id: 'query', redirect_uri: uri });
      assert.deepEqual([tenant, typeof code], ['1', 'string']);
    },
  ],
  [
    'RFC 6749 3.1.2.4: a wrong redirection URI is never followed',
    async (server) => {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ redirect_uri: 'https://evil.example/', response_type: 'nonsense' }));
      assert.equal(browser.away, undefined);
    },
  ],
  [
    'RFC 6749 3.2: the token endpoint takes POST alone',
    async (server) => assert.equal((await server.call('/oauth2/token')).status, 405),
  ],
  [
    'RFC 6749 4.1.2: state comes back as it was; a code lives at most ten minutes',
    async (server) => {
      const state = 'ä +%&=#"\'<>';
      const { code = '', state: returned } = await agreed(server, { state });
      assert.equal(returned, state);
      server.clock.advance(600_000);
      assert.equal((await redeem(server, { code })).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 6749 4.1.3: a code is bound to the redirect_uri of its request',
    async (server) => {
      const { code = '' } = await agreed(server);
      const answer = await server.call('/oauth2/token', {
        headers: basic('web'),
        form: { grant_type: 'authorization_code', code },
      });
      assert.equal(answer.json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 6749 4.2.2: the implicit grant gives no refresh token',
    async (server) => assert.equal((await agreed(server, { response_type: 'token' }))['refresh_token'], undefined),
  ],
  [
    'RFC 6749 5.1: tokens are not cached',
    async (server) => {
      const { code = '' } = await agreed(server);
      const answer = await redeem(server, { code });
      assert.deepEqual([headerOf(answer, 'Cache-Control'), headerOf(answer, 'Pragma')], ['no-store', 'no-cache']);
    },
  ],
  [
    'RFC 6749 5.2: who fails by the header gets 401 with a challenge',
    async (server) => {
      const answer = await server.call('/oauth2/token', { headers: basic('web', 'x'), form: { grant_type: 'x' } });
      assert.equal(answer.status, 401);
      assert.match(headerOf(answer, 'WWW-Authenticate') ?? '', /^Basic/);
    },
  ],
  [
    'RFC 6749 6: a refresh may narrow the scope and not widen it',
    async (server) => {
      const first = await tokensOf(server, { scope: 'openid email' });
      assert.equal(
        (await refresh(server, first['refresh_token'], { scope: 'openid phone' })).json()['error'],
        'invalid_scope',
      );
      const narrow = (await refresh(server, first['refresh_token'], { scope: 'openid' })).json();
      assert.equal(narrow['scope'], 'openid');
    },
  ],
  [
    'RFC 6750 3: no error without credentials; invalid_token and insufficient_scope otherwise',
    async (server) => {
      const ask = (headers: readonly string[]): Promise<TestAnswer> =>
        server.call('/oauth2/userinfo', { headers: [...headers] });
      const bare = await ask([]);
      assert.deepEqual([bare.status, headerOf(bare, 'WWW-Authenticate')], [401, 'Bearer realm="millrace"']);
      assert.match(headerOf(await ask(['Authorization', 'Bearer x']), 'WWW-Authenticate') ?? '', /invalid_token/);
      const { access_token: token } = await tokensOf(server, { scope: 'other' });
      const poor = await ask(['Authorization', `Bearer ${String(token)}`]);
      assert.equal(poor.status, 403);
      assert.match(headerOf(poor, 'WWW-Authenticate') ?? '', /insufficient_scope/);
    },
  ],
  [
    'RFC 7636 4.4.1, 4.6: S256 works, and a wrong verifier is invalid_grant',
    async (server) => {
      const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
      const sent = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
      const { code = '' } = await agreed(server, sent);
      assert.equal((await redeem(server, { code, code_verifier: verifier })).status, 200);
      const other = await agreed(server, sent);
      const wrong = await redeem(server, { code: other['code'] ?? '', code_verifier: verifier.replace('d', 'e') });
      assert.equal(wrong.json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 8252 7.3: the port of a loopback address is free',
    async (server) => {
      await server.client('native', { grantTypes: ['authorization_code'], redirectUris: ['http://127.0.0.1/cb'] });
      const given = { client_id: 'native', redirect_uri: 'http://127.0.0.1:51004/cb', prompt: 'none' };
      assert.equal(await errorOf(server, given), 'login_required');
    },
  ],
  [
    'RFC 8414 3: the metadata stand at the inserted path, with the issuer of the tokens',
    async (server) => {
      const inserted = await server.call('/.well-known/oauth-authorization-server/oauth2/token');
      const tokens = await tokensOf(server);
      assert.equal(decodeJwt(String(tokens['id_token'])).iss, inserted.json()['issuer']);
    },
  ],
  [
    'RFC 9126 5: pushed requests are announced',
    async (server) => {
      const metadata = (await server.call('/.well-known/openid-configuration')).json();
      assert.match(String(metadata['pushed_authorization_request_endpoint']), /\/oauth2\/par$/);
      assert.equal(metadata['require_pushed_authorization_requests'], false);
    },
  ],
  [
    'RFC 9207 2: answers and errors name the announced issuer',
    async (server) => {
      const metadata = (await server.call('/.well-known/openid-configuration')).json();
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ prompt: 'none' }));
      assert.equal(browser.returned()['iss'], metadata['issuer']);
      assert.equal((await agreed(server))['iss'], metadata['issuer']);
      assert.equal(metadata['authorization_response_iss_parameter_supported'], true);
    },
  ],
  [
    'RFC 9700 2.1.1: clients without a secret need PKCE, and a verifier without a challenge is refused',
    async (server) => {
      await server.client('open', { isPublic: true, grantTypes: ['authorization_code'], redirectUris: [callback] });
      assert.equal(await errorOf(server, { client_id: 'open' }), 'invalid_request');
      const { code = '' } = await agreed(server);
      assert.equal((await redeem(server, { code, code_verifier: 'v'.repeat(50) })).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 9700 4.12: a form is followed by 303',
    async (server) => {
      const browser = await signedIn(server);
      await browser.submit({ consent: 'approve' });
      assert.equal(browser.answer.status, 303);
    },
  ],
  [
    'RFC 9700 4.14: a refresh token that was exchanged ends its family when it comes again',
    async (server) => {
      const first = await tokensOf(server);
      const second = (await refresh(server, first['refresh_token'])).json();
      server.clock.advance(60_000);
      assert.equal((await refresh(server, first['refresh_token'])).json()['error'], 'invalid_grant');
      assert.equal((await refresh(server, second['refresh_token'])).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 9068 2.1, 2.2: a signed access token says what it is, and what resource servers need',
    async (server) => {
      const facts = {
        grantTypes: ['authorization_code', 'implicit'],
        redirectUris: [callback],
        tokenType: 'JWT',
      } as const;
      await server.client('signed', facts);
      const { access_token: token = '' } = await agreed(server, { client_id: 'signed', response_type: 'token' });
      assert.equal(decodeProtectedHeader(token).typ, 'at+jwt');
      const claims = decodeJwt(token);
      const needed = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];
      assert.deepEqual(
        needed.filter((name) => claims[name] === undefined),
        [],
      );
    },
  ],
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
    'OpenID Connect Core 6.1, 6.2, 7.2.1: what is not supported is named',
    async (server) => {
      assert.equal(await errorOf(server, { request: 'x' }), 'request_not_supported');
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
];

test('requirements of the standards', async (context) => {
  for (const [name, show] of requirements) {
    await context.test(name, async () => {
      await using server = await startTestIdentity();
      await prepare(server);
      await show(server);
    });
  }
});
