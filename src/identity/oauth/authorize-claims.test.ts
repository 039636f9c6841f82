import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { authorizeUrl, callback, createTestBrowser, prepare, type TestBrowser } from '../test-browser.ts';
import { basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';

/** Answers user info with the names that it was asked for. */
async function startServer(): Promise<TestIdentity> {
  const server = await startTestIdentity({
    claimsOf: async ({ requested }) => Object.fromEntries(requested.map((name) => [name, `${name} of ada`])),
  });
  await prepare(server);
  return server;
}

async function signIn(
  server: TestIdentity,
  parameters: Readonly<Record<string, string>>,
  browser: TestBrowser = createTestBrowser(server),
): Promise<TestBrowser> {
  await browser.open(authorizeUrl({ scope: 'openid', ...parameters }));
  if (browser.place.includes('login.do')) await browser.submit({ username: 'ada', password: 'right' });
  return browser.away ? browser : browser.submit({ consent: 'approve' });
}

async function tokensOf(server: TestIdentity, browser: TestBrowser): Promise<Record<string, unknown>> {
  const { code = '' } = browser.returned();
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
  return (await server.call('/oauth2/token', { headers: basic('web'), form })).json();
}

const userInfo = async (server: TestIdentity, token: unknown): Promise<Record<string, unknown>> =>
  (await server.call('/oauth2/userinfo', { headers: ['Authorization', `Bearer ${String(token)}`] })).json();

test('OIDC Core 5.5: claims are named for the ID token and for user info apart', async () => {
  await using server = await startServer();
  const claims = JSON.stringify({ id_token: { nickname: null }, userinfo: { email: { essential: true } } });
  const tokens = await tokensOf(server, await signIn(server, { claims }));
  const idToken = decodeJwt(String(tokens['id_token']));
  assert.equal(idToken['nickname'], 'nickname of ada');
  assert.equal(idToken['email'], undefined);
  const info = await userInfo(server, tokens['access_token']);
  assert.equal(info['email'], 'email of ada');
  assert.equal(info['nickname'], undefined);
});

test('the claims for user info stay when the token is refreshed', async () => {
  await using server = await startServer();
  const tokens = await tokensOf(server, await signIn(server, { claims: '{"userinfo":{"email":null}}' }));
  const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) };
  const renewed = (await server.call('/oauth2/token', { headers: basic('web'), form })).json();
  assert.equal((await userInfo(server, renewed['access_token']))['email'], 'email of ada');
});

test('the claims for user info come with a token by the browser, too', async () => {
  await using server = await startServer();
  const browser = await signIn(server, { response_type: 'token', claims: '{"userinfo":{"email":null}}' });
  assert.equal((await userInfo(server, browser.returned()['access_token']))['email'], 'email of ada');
});

test('RFC 8176: an ID token says how the user has signed in', async () => {
  await using server = await startServer();
  const idToken = decodeJwt(String((await tokensOf(server, await signIn(server, {})))['id_token']));
  assert.deepEqual(idToken['amr'], ['pwd']);
  assert.equal(idToken['acr'], '1');
  await server.client('app', { grantTypes: ['password'] });
  const form = { grant_type: 'password', username: 'ada', password: 'right', scope: 'openid' };
  const answer = (await server.call('/oauth2/token', { headers: basic('app'), form })).json();
  assert.deepEqual(decodeJwt(String(answer['id_token']))['amr'], ['pwd']);
});

test('OIDC Core 5.5.1.1: a remembered browser is asked to sign in where that is essential', async () => {
  await using server = await startServer();
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ scope: 'openid' }));
  await browser.submit({ username: 'ada', password: 'right', chkRemember: 'on' });
  await browser.submit({ consent: 'approveAlways' });
  assert.equal(decodeJwt(String((await tokensOf(server, browser))['id_token']))['acr'], '0');
  const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['1'] } } });
  await browser.open(authorizeUrl({ scope: 'openid', claims }));
  assert.match(browser.place, /login\.do|commonauth/);
  await browser.submit({ username: 'ada', password: 'right' });
  if (!browser.away) await browser.submit({ consent: 'approve' });
  assert.equal(decodeJwt(String((await tokensOf(server, browser))['id_token']))['acr'], '1');
});

test('a class that no sign-in has is refused', async () => {
  await using server = await startServer();
  const claims = JSON.stringify({ id_token: { acr: { essential: true, value: 'gold' } } });
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ scope: 'openid', claims }));
  await browser.submit({ username: 'ada', password: 'right' });
  assert.equal(browser.returned()['error'], 'access_denied');
});

test('discovery names the classes and that claims can be asked for', async () => {
  await using server = await startServer();
  const metadata = (await server.call('/oauth2/token/.well-known/openid-configuration')).json();
  assert.deepEqual(metadata['acr_values_supported'], ['0', '1']);
  assert.equal(metadata['claims_parameter_supported'], true);
});
