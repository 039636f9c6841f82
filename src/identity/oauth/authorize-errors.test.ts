import assert from 'node:assert/strict';
import { before, after, test } from 'node:test';
import type { Client } from './client.ts';
import { authorizeUrl, callback, createTestBrowser, prepare, signedIn } from '../test-browser.ts';
import { headerOf, startTestIdentity, type TestIdentity } from '../test-identity.ts';

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

let server: TestIdentity;
before(async () => {
  server = await startTestIdentity();
  await prepare(server);
  const grantTypes = ['authorization_code', 'implicit'];
  const client = (id: string, facts: Partial<Client>): Promise<Client> =>
    server.client(id, { grantTypes, redirectUris: [callback], ...facts });
  await client('off', { isActive: false });
  await client('bare', { grantTypes: [] });
  await client('nowhere', { redirectUris: [] });
  await client('codes', { grantTypes: ['authorization_code'] });
  await client('public', { isPublic: true });
  await client('strict', { pkceMandatory: true });
  await client('plain', { pkceAllowsPlain: true });
  await client('pushing', { requiresPushedRequests: true });
  await server.identity.services.scopes.save(server.users.add({ name: 'bob', password: 'x' }).tenant, {
    name: 'guarded',
    displayName: 'Guarded',
    description: '',
    roles: ['keeper'],
  });
});
after(() => server[Symbol.asyncDispose]());

type Given = Readonly<Record<string, string>>;

test('what goes to the error page, never to the client (identity 2.3)', async (context) => {
  const rows: readonly (readonly [name: string, url: string, error: string])[] = [
    ['no client', '/oauth2/authorize?response_type=code', 'invalid_client'],
    ['unknown client', authorizeUrl({ client_id: 'nobody' }), 'invalid_client'],
    ['client that is off', authorizeUrl({ client_id: 'off' }), 'invalid_client'],
    ['address of somebody else', authorizeUrl({ redirect_uri: 'https://evil.example/cb' }), 'invalid_callback'],
    ['client without a grant', authorizeUrl({ client_id: 'bare' }), 'unauthorized_client'],
    ['client without an address', authorizeUrl({ client_id: 'nowhere' }), 'unauthorized_client'],
    ['two clients', `${authorizeUrl({})}&client_id=other`, 'invalid_request'],
    ['two addresses', `${authorizeUrl({})}&redirect_uri=x`, 'invalid_request'],
    ['foreign request_uri', authorizeUrl({ request_uri: 'https://evil.example/r' }), 'request_uri_not_supported'],
    [
      'unknown pushed request',
      authorizeUrl({ request_uri: 'urn:ietf:params:oauth:par:request_uri:x' }),
      'invalid_request_uri',
    ],
    [
      'error of another parameter and a wrong address',
      authorizeUrl({ redirect_uri: 'x', prompt: 'x' }),
      'invalid_callback',
    ],
  ];
  for (const [name, url, error] of rows) {
    await context.test(name, async () => {
      const answer = await server.call(url);
      assert.equal(answer.status, 302);
      const location = headerOf(answer, 'Location') ?? '';
      assert.match(location, /^\/authenticationendpoint\/oauth2_error\.do\?/);
      assert.equal(new URLSearchParams(location.split('?')[1]).get('oauthErrorCode'), error);
      const page = await server.call(location);
      assert.match(page.text, /That did not work/);
    });
  }
});

test('what goes back to the client', async (context) => {
  const rows: readonly (readonly [name: string, given: Given, error: string])[] = [
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['unknown response type', { response_type: 'magic' }, 'unsupported_response_type'],
    ['device as response type', { response_type: 'device' }, 'unsupported_response_type'],
    ['token without the grant', { client_id: 'codes', response_type: 'token' }, 'unauthorized_client'],
    ['unknown response mode', { response_mode: 'pigeon' }, 'invalid_request'],
    ['tokens in the query', { response_type: 'token', response_mode: 'query' }, 'invalid_request'],
    ['ID token without nonce', { response_type: 'id_token', scope: 'openid' }, 'invalid_request'],
    ['ID token without openid', { response_type: 'id_token', nonce: 'n' }, 'invalid_request'],
    ['scope with a quote', { scope: 'a"b' }, 'invalid_scope'],
    ['unknown prompt', { prompt: 'please' }, 'invalid_request'],
    ['prompt none and another', { prompt: 'none login' }, 'invalid_request'],
    ['max_age that is none', { max_age: '-1' }, 'invalid_request'],
    ['claims that are no JSON', { claims: '{' }, 'invalid_request'],
    ['claims that are a list', { claims: '[]' }, 'invalid_request'],
    ['request object', { request: 'e30.e30.' }, 'invalid_request_object'],
    ['registration', { registration: '{}' }, 'registration_not_supported'],
    ['hint that is no token', { id_token_hint: 'x' }, 'invalid_request'],
    ['public client without PKCE', { client_id: 'public' }, 'invalid_request'],
    ['PKCE that is mandatory', { client_id: 'strict' }, 'invalid_request'],
    ['method without challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['unknown method', { code_challenge: challenge, code_challenge_method: 'S512' }, 'invalid_request'],
    ['short challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    ['plain that is not allowed', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    ['plain by its absence', { code_challenge: challenge }, 'invalid_request'],
    ['plain that is too short', { client_id: 'plain', code_challenge: 'short' }, 'invalid_request'],
    ['plain request of one who pushes', { client_id: 'pushing' }, 'invalid_request'],
    ['nobody signed in, prompt none', { prompt: 'none' }, 'login_required'],
  ];
  for (const [name, given, error] of rows) {
    await context.test(name, async () => {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ state: 'st', ...given }));
      assert.equal(`${browser.away?.origin}${browser.away?.pathname}`, callback);
      const returned = browser.returned();
      assert.equal(returned['error'], error, returned['error_description'] ?? 'no description');
      assert.equal(returned['state'], 'st');
      assert.equal(returned['iss'], 'https://localhost:9443/oauth2/token');
      const isFront = /token/.test(given['response_type'] ?? '');
      assert.equal(browser.away?.hash !== '', isFront, 'in the fragment exactly for front-channel types');
    });
  }
});

test('a parameter that comes twice', async () => {
  const browser = createTestBrowser(server);
  await browser.open(`${authorizeUrl({ state: 's' })}&scope=a&scope=b`);
  assert.equal(browser.returned()['error'], 'invalid_request');
});

test('an error as a form and as a signed answer', async () => {
  const answer = await server.call(authorizeUrl({ prompt: 'none', response_mode: 'form_post' }));
  assert.match(answer.text, /name="error" value="login_required"/);
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ prompt: 'none', response_mode: 'query.jwt' }));
  assert.deepEqual(Object.keys(browser.returned()), ['response']);
});

test('what accepted parameters do', async (context) => {
  const accepted: readonly Given[] = [
    { display: 'page', claims_locales: 'de', acr_values: 'urn:x', ui_locales: 'de fr' },
    { unknown: 'parameter', scope: 'openid something:unknown' },
    { claims: '{"id_token":{"email":{"essential":true}},"userinfo":{"name":null}}', scope: 'openid' },
    { prompt: 'select_account', max_age: '10000' },
    { client_id: 'plain', code_challenge: challenge },
    { client_id: 'public', code_challenge: challenge, code_challenge_method: 'S256' },
  ];
  for (const given of accepted) {
    await context.test(Object.keys(given).join(', '), async () => {
      const browser = await signedIn(server, given);
      await browser.submit({ consent: 'approve' });
      assert.ok(browser.returned()['code'], JSON.stringify(browser.returned()));
    });
  }
});

test('login_hint fills in the name, as text', async () => {
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ login_hint: '"><b>ada' }));
  assert.match(browser.answer.text, /value="&quot;&gt;&lt;b&gt;ada"/);
});

test('the user refuses', async () => {
  const browser = await signedIn(server);
  await browser.submit({ consent: 'deny' });
  assert.equal(browser.returned()['error'], 'access_denied');
});

test('a scope whose role the user lacks fails before any question', async () => {
  const browser = await signedIn(server, { scope: 'guarded' });
  assert.equal(browser.returned()['error'], 'invalid_scope');
});

test('prompt none, for a user who is signed in', async () => {
  await using own = await startTestIdentity();
  await prepare(own);
  const browser = await signedIn(own);
  await browser.submit({ consent: 'approve' });
  await browser.open(authorizeUrl({ scope: 'openid', prompt: 'none' }));
  assert.equal(browser.returned()['error'], 'consent_required');
  await browser.open(authorizeUrl({ scope: 'openid' }));
  await browser.submit({ consent: 'approveAlways' });
  await browser.open(authorizeUrl({ scope: 'openid', prompt: 'none' }));
  assert.ok(browser.returned()['code']);
});

test('prompt login and max_age ask for the password again', async () => {
  const browser = await signedIn(server);
  await browser.submit({ consent: 'approve' });
  await browser.open(authorizeUrl({ scope: 'openid', prompt: 'login' }));
  assert.match(browser.place, /login\.do/);
  await browser.submit({ username: 'ada', password: 'right' });
  assert.match(browser.place, /oauth2_consent/);
  server.clock.advance(100_000);
  await browser.open(authorizeUrl({ scope: 'openid', max_age: '200' }));
  assert.match(browser.place, /oauth2_consent/);
  await browser.open(authorizeUrl({ scope: 'openid', max_age: '100' }));
  assert.match(browser.place, /login\.do/);
  await browser.open(authorizeUrl({ scope: 'openid', max_age: '0', prompt: 'none' }));
  assert.equal(browser.returned()['error'], 'login_required');
});

test('a hint at another user', async () => {
  const browser = await signedIn(server, { scope: 'openid', response_type: 'id_token', nonce: 'n' });
  await browser.submit({ consent: 'approve' });
  const hint = browser.returned()['id_token'] ?? '';
  const other = createTestBrowser(server);
  await other.open(authorizeUrl({ scope: 'openid' }));
  await other.submit({ username: 'bob', password: 'x' });
  await other.open(authorizeUrl({ scope: 'openid', prompt: 'none', id_token_hint: hint }));
  assert.equal(other.returned()['error'], 'login_required');
  await other.open(authorizeUrl({ scope: 'openid', id_token_hint: hint }));
  assert.match(other.place, /login\.do/);
  await other.submit({ username: 'bob', password: 'x' });
  assert.equal(other.returned()['error'], 'login_required', 'bob signed in where ada was expected');
  const claims = JSON.stringify({ id_token: { sub: { value: 'id-carbon.super-ada' } } });
  await other.open(authorizeUrl({ scope: 'openid', prompt: 'none', claims }));
  assert.equal(other.returned()['error'], 'login_required');
});

test('a request by POST finds the session of the browser on its way', async () => {
  const browser = await signedIn(server);
  await browser.submit({ consent: 'approve' });
  const session = browser.cookies.get('commonAuthId') ?? '';
  browser.dropCookie('commonAuthId');
  const answer = await server.call('/oauth2/authorize', {
    headers: ['Cookie', [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')],
    form: { client_id: 'web', response_type: 'code', redirect_uri: callback, scope: 'openid' },
  });
  assert.equal(answer.status, 303);
  browser.setCookie('commonAuthId', session);
  await browser.open(headerOf(answer, 'Location') ?? '');
  assert.match(browser.place, /oauth2_consent/);
});
