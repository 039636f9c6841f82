import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { authorizeUrl, createTestBrowser, prepare, signedIn, type TestBrowser } from '../test-browser.ts';
import { startTestIdentity, type TestIdentity } from '../test-identity.ts';

const bye = 'https://rp.example/bye';

/** A browser that is signed in to `web`, and the ID token of that. */
async function signedInWithToken(server: TestIdentity): Promise<{ browser: TestBrowser; hint: string }> {
  const browser = await signedIn(server, { scope: 'openid', response_type: 'id_token', nonce: 'n' });
  await browser.submit({ consent: 'approve' });
  return { browser, hint: browser.returned()['id_token'] ?? '' };
}

function logoutUrl(parameters: Readonly<Record<string, string>>): string {
  return `/oidc/logout?${new URLSearchParams(parameters).toString()}`;
}

async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  await browser.open(authorizeUrl({ scope: 'openid', prompt: 'none' }));
  return browser.returned()['error'] !== 'login_required';
}

test('with the hint of its own user a logout asks nobody; an old hint does as well', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const { browser, hint } = await signedInWithToken(server);
  server.clock.advance(10 * 60_000);
  await browser.open(authorizeUrl({ scope: 'openid' }));
  await browser.open(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: bye, state: 'x y' }));
  assert.equal(browser.away?.href, `${bye}?state=x+y`);
  assert.equal(browser.cookies.has('commonAuthId'), false);
  assert.equal(browser.cookies.has('opbs'), false);
  assert.equal(await isSignedIn(browser), false);
});

test('without a hint the user is asked', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const { browser } = await signedInWithToken(server);
  await browser.open(logoutUrl({ client_id: 'web', post_logout_redirect_uri: bye, state: 's' }));
  assert.match(browser.place, /oauth2_logout_consent\.do/);
  await browser.submit({ consent: 'deny' });
  assert.equal(browser.away?.href, `${bye}?error=access_denied&state=s`);
  assert.equal(await isSignedIn(browser), true);
  await browser.open('/oidc/logout');
  await browser.submit({ consent: 'deny' });
  assert.match(browser.answer.text, /You are still signed in/);
  await browser.open('/oidc/logout');
  await browser.submit({ consent: 'approve', formToken: 'x' });
  assert.equal(browser.answer.status, 400);
  await browser.open('/oidc/logout');
  await browser.submit({ consent: 'approve' });
  assert.match(browser.answer.text, /You are signed out/);
  assert.equal(await isSignedIn(browser), false);
});

test('a logout by POST finds the session on its way', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const { browser, hint } = await signedInWithToken(server);
  await browser.post('/oidc/logout', { id_token_hint: hint, post_logout_redirect_uri: bye });
  assert.equal(browser.away?.href, bye);
  assert.equal(await isSignedIn(browser), false);
});

test('without a session the browser goes on as if it had just ended', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const browser = createTestBrowser(server);
  await browser.open(logoutUrl({ client_id: 'web', post_logout_redirect_uri: bye }));
  assert.equal(browser.away?.href, bye);
  await browser.open('/oidc/logout');
  assert.match(browser.place, /oauth2_logout\.do/);
});

test('a client_id that is not that of the hint is refused', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  await server.client('other');
  const { browser, hint } = await signedInWithToken(server);
  await browser.open(logoutUrl({ id_token_hint: hint, client_id: 'other' }));
  assert.match(browser.place, /oauth2_error\.do\?oauthErrorCode=access_denied/);
});

test('clients of the session hear of its end, by token and by frame', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  await server.client('heard', {
    grantTypes: ['implicit'],
    redirectUris: ['https://rp.example/cb'],
    backChannelLogoutUri: 'https://rp.example/logout',
    frontChannelLogoutUri: 'https://frame.example/out',
  });
  const parameters = { client_id: 'heard', scope: 'openid', response_type: 'id_token', nonce: 'n' };
  const browser = await signedIn(server, parameters);
  await browser.submit({ consent: 'approve' });
  const hint = browser.returned()['id_token'] ?? '';
  await browser.open(logoutUrl({ id_token_hint: hint }));
  assert.match(browser.answer.text, /<iframe src="https:\/\/frame\.example\/out\?iss=/);
  assert.match(browser.answer.headers.join(' '), /frame-src https:\/\/frame\.example/);
  await server.identity.notices[Symbol.asyncDispose]();
  assert.deepEqual(
    server.posted.map(({ url }) => url),
    ['https://rp.example/logout'],
  );
  const token = server.posted[0]?.form.get('logout_token') ?? '';
  assert.equal(decodeProtectedHeader(token).typ, 'logout+jwt');
  const { sid, sub, aud, exp = 0, iat = 0, ...rest } = decodeJwt(token);
  assert.deepEqual([sid, sub, aud, exp - iat], [decodeJwt(hint)['sid'], 'id-carbon.super-ada', 'heard', 120]);
  assert.deepEqual(rest['events'], { 'http://schemas.openid.net/event/backchannel-logout': {} });
  const wrong = await server.call(logoutUrl({ id_token_hint: token }));
  assert.match(wrong.headers.join(' '), /access_denied/, 'a logout token is no hint');
});
