import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { authorizeUrl, callback, signedIn } from '../test-browser.ts';
import { basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import { settingFacts, type ClientSettings } from './client-settings.ts';

const email = 'ada@example.com';

/** A server with a client `web` that has the settings, and a user. */
async function start(settings: ClientSettings): Promise<TestIdentity> {
  const server = await startTestIdentity({
    claimsOf: async ({ configured }) => (configured?.includes('email') ? { email } : {}),
  });
  const grantTypes = ['authorization_code', 'refresh_token'];
  await server.client('web', { grantTypes, redirectUris: [callback], ...settingFacts(settings) });
  server.users.add({ name: 'ada', password: 'right' });
  return server;
}

async function tokens(server: TestIdentity, form: Readonly<Record<string, string>>) {
  return (await server.call('/oauth2/token', { headers: basic('web'), form })).json();
}

test('a client that skips consent comes back from the login at once', async () => {
  await using server = await start({ skip_login_consent: true });
  assert.ok((await signedIn(server)).returned()['code']);
  await using other = await start({ skip_login_consent: false });
  assert.match((await signedIn(other)).place, /oauth2_consent\.do/);
});

test('a client that skips the consent of logouts signs out at once', async () => {
  for (const skips of [true, false]) {
    await using server = await start({ skip_login_consent: true, skip_logout_consent: skips });
    const browser = await signedIn(server);
    await browser.open('/oidc/logout?client_id=web');
    assert.equal(/oauth2_logout_consent\.do/.test(browser.place), !skips);
    await browser.open(authorizeUrl({ scope: 'openid', prompt: 'none' }));
    assert.equal(browser.returned()['error'], skips ? 'login_required' : undefined);
  }
});

test('audiences stand in ID tokens, claims are those that it gets, and refresh tokens stay where they are not renewed', async () => {
  await using server = await start({
    skip_login_consent: true,
    renew_refresh_token: false,
    audiences: ['https://api.example'],
    claims: ['email'],
  });
  const { code = '' } = (await signedIn(server)).returned();
  const first = await tokens(server, { grant_type: 'authorization_code', code, redirect_uri: callback });
  const { aud, email: shown } = decodeJwt(String(first['id_token']));
  assert.deepEqual([aud, shown], [['web', 'https://api.example'], email]);
  const refresh = String(first['refresh_token']);
  const second = await tokens(server, { grant_type: 'refresh_token', refresh_token: refresh });
  assert.equal(second['refresh_token'], refresh);
});

test('null leaves the renewal of refresh tokens to the server', async () => {
  await using server = await start({ renew_refresh_token: null });
  assert.equal((await server.identity.clients.findAnywhere('web'))?.renewsRefreshToken, undefined);
});
