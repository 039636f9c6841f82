import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { adminName, adminPassword, startIdentityServer, type IdentityServer } from '../helpers/identity-server.ts';
import { jwtAssertion, partnerFiles, samlAssertion } from '../helpers/partner-provider.ts';
import { createScriptedBrowser, hiddenFields, type ScriptedBrowser } from '../helpers/scripted-browser.ts';

const callback = 'https://rp.example/cb';
const goodbye = 'https://rp.example/bye';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const samlBearer = 'urn:ietf:params:oauth:grant-type:saml2-bearer';

let server: IdentityServer;
let config: client.Configuration;
let browser: ScriptedBrowser;

before(async () => {
  server = await startIdentityServer('', undefined, partnerFiles);
});
after(() => server[Symbol.asyncDispose]());

/** A relying party of its own, and a browser of nobody yet. */
async function prepare(metadata: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const registered = await server.register({
    client_name: `openid-client ${Math.random()}`,
    grant_types: ['authorization_code', 'implicit', 'refresh_token', 'client_credentials', 'password', deviceGrant],
    redirect_uris: [callback],
    post_logout_redirect_uris: [goodbye],
    ...metadata,
  });
  const isPublic = metadata['token_endpoint_auth_method'] === 'none';
  config = await client.discovery(
    server.issuer,
    registered.client_id,
    isPublic ? undefined : registered.client_secret,
    isPublic ? client.None() : undefined,
    { [client.customFetch]: server.fetch as client.CustomFetch },
  );
  config[client.customFetch] = server.fetch as client.CustomFetch;
  browser = createScriptedBrowser(server.origin, server.fetch);
}

/** Checks and parameters of a request with everything a careful client sends. */
async function careful(more: Readonly<Record<string, string>> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const parameters = {
    redirect_uri: callback,
    scope: 'openid profile',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  };
  return { parameters, checks: { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true } };
}

async function codeFlow(more: Readonly<Record<string, string>> = {}) {
  const { parameters, checks } = await careful(more);
  await browser.open(client.buildAuthorizationUrl(config, parameters));
  return client.authorizationCodeGrant(config, await browser.agree(adminName, adminPassword), checks);
}

test('code flow, user info, introspection, refresh, revocation, logout', async () => {
  await prepare();
  assert.equal(config.serverMetadata().issuer, server.issuer.href);
  const tokens = await codeFlow();
  const subject = tokens.claims()?.sub ?? '';
  const userInfo = await client.fetchUserInfo(config, tokens.access_token, subject);
  assert.equal(userInfo.sub, subject);
  assert.equal((await client.tokenIntrospection(config, tokens.access_token)).active, true);
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  assert.equal(refreshed.claims()?.sub, subject);
  await client.tokenRevocation(config, refreshed.access_token);
  assert.equal((await client.tokenIntrospection(config, refreshed.access_token)).active, false);
  const logout = client.buildEndSessionUrl(config, {
    post_logout_redirect_uri: goodbye,
    id_token_hint: refreshed.id_token ?? '',
    state: 'over',
  });
  await browser.open(logout);
  assert.equal(browser.away?.href, `${goodbye}?state=over`);
  const again = await careful({ prompt: 'none' });
  await browser.open(client.buildAuthorizationUrl(config, again.parameters));
  assert.equal(browser.away?.searchParams.get('error'), 'login_required');
});

test('a public client with PKCE, and max_age', async () => {
  await prepare({ token_endpoint_auth_method: 'none' });
  const { parameters, checks } = await careful({ max_age: '300' });
  await browser.open(client.buildAuthorizationUrl(config, parameters));
  const url = await browser.agree(adminName, adminPassword);
  const tokens = await client.authorizationCodeGrant(config, url, { ...checks, maxAge: 300 });
  assert.ok(tokens.claims()?.auth_time);
});

test('a pushed request', async () => {
  await prepare({ require_pushed_authorization_requests: true });
  const { parameters, checks } = await careful();
  await browser.open(client.buildAuthorizationUrl(config, parameters));
  assert.equal(browser.away?.searchParams.get('error'), 'invalid_request', 'a plain request is refused');
  await browser.open(await client.buildAuthorizationUrlWithPAR(config, parameters));
  const tokens = await client.authorizationCodeGrant(config, await browser.agree(adminName, adminPassword), checks);
  assert.ok(tokens.access_token);
});

test('a signed answer', async () => {
  await prepare();
  client.useJwtResponseMode(config);
  assert.ok((await codeFlow()).access_token);
});

test('the hybrid flow code id_token', async () => {
  await prepare();
  client.useCodeIdTokenResponseType(config);
  assert.ok((await codeFlow()).claims()?.sub);
});

test('detached signatures: code id_token with the hashes of code and state', async () => {
  await prepare();
  client.useCodeIdTokenResponseType(config);
  client.enableDetachedSignatureResponseChecks(config);
  assert.ok((await codeFlow()).claims()?.sub);
});

test('the implicit flow with an ID token', async () => {
  await prepare();
  client.useIdTokenResponseType(config);
  const nonce = client.randomNonce();
  const parameters = { redirect_uri: callback, scope: 'openid', nonce };
  await browser.open(client.buildAuthorizationUrl(config, parameters));
  const claims = await client.implicitAuthentication(config, await browser.agree(adminName, adminPassword), nonce);
  assert.ok(claims.sub);
});

test('the device flow', async () => {
  await prepare();
  const started = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
  await browser.open(started.verification_uri_complete ?? '');
  await browser.submit({ user_code: started.user_code.toLowerCase().replace('-', ' ') });
  await browser.submit({ username: adminName, password: adminPassword });
  assert.match(browser.text, /A device that runs/);
  await browser.submit({ consent: 'approve' });
  assert.match(browser.text, /Your device is connected/);
  const tokens = await client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 });
  assert.ok(tokens.claims()?.sub);
});

test('client credentials and password', async () => {
  await prepare();
  assert.ok((await client.clientCredentialsGrant(config)).access_token);
  const parameters = { username: adminName, password: adminPassword, scope: 'openid' };
  assert.ok((await client.genericGrantRequest(config, 'password', parameters)).access_token);
});

test('grants of assertions and devices as plain requests', async () => {
  await prepare({ grant_types: ['refresh_token', deviceGrant, jwtBearer, samlBearer] });
  const issuer = server.issuer.href;
  const scope = 'openid';
  const byJwt = { assertion: await jwtAssertion(issuer, 'ada@partner.example'), scope };
  const ofJwt = await client.genericGrantRequest(config, jwtBearer, byJwt);
  assert.equal(ofJwt.claims()?.sub, 'ada@partner.example');
  assert.ok((await client.refreshTokenGrant(config, ofJwt.refresh_token ?? '')).access_token);
  await assert.rejects(
    client.genericGrantRequest(config, jwtBearer, byJwt),
    { error: 'invalid_grant' },
    'it counts once',
  );
  const bySaml = { assertion: samlAssertion(issuer, 'ada@partner.example'), scope };
  const ofSaml = await client.genericGrantRequest(config, samlBearer, bySaml);
  assert.equal(ofSaml.claims()?.sub, 'ada@partner.example');
  const device = await client.initiateDeviceAuthorization(config, { scope });
  await browser.open(device.verification_uri_complete ?? '');
  await browser.submit({ user_code: device.user_code });
  await browser.submit({ username: adminName, password: adminPassword });
  await browser.submit({ consent: 'approve' });
  const ofDevice = await client.genericGrantRequest(config, deviceGrant, { device_code: device.device_code });
  assert.ok(ofDevice.claims()?.sub);
});

test('a form that the browser posts to the client', async () => {
  await prepare();
  const { parameters, checks } = await careful({ response_mode: 'form_post' });
  await browser.open(client.buildAuthorizationUrl(config, parameters));
  await browser.submit({ username: adminName, password: adminPassword });
  await browser.submit({ consent: 'approve' });
  const posted = new Request(callback, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(hiddenFields(browser.text)).toString(),
  });
  assert.ok((await client.authorizationCodeGrant(config, posted, checks)).access_token);
});

test('a logout is told to the clients of the session', async () => {
  const received: string[] = [];
  const party = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (chunk: string) => received.push(chunk));
    request.on('end', () => response.writeHead(204).end());
  });
  party.listen(0, '127.0.0.1');
  await once(party, 'listening');
  const { port } = party.address() as AddressInfo;
  try {
    await prepare({
      backchannel_logout_uri: `http://127.0.0.1:${port}/logout`,
      frontchannel_logout_uri: 'https://rp.example/front?of=rp',
    });
    const tokens = await codeFlow();
    const told = once(party, 'request').then(([request]) => once(request as NodeJS.EventEmitter, 'end'));
    await browser.open(client.buildEndSessionUrl(config, { id_token_hint: tokens.id_token ?? '' }));
    assert.match(browser.text, /<iframe src="https:\/\/rp\.example\/front\?of=rp&amp;iss=[^"]*&amp;sid=/);
    await told;
  } finally {
    party.close();
  }
  const token = new URLSearchParams(received.join('')).get('logout_token') ?? '';
  const claims = decodeJwt(token);
  assert.equal(decodeProtectedHeader(token).typ, 'logout+jwt');
  assert.equal(claims.aud, config.clientMetadata().client_id);
  assert.deepEqual(claims['events'], { 'http://schemas.openid.net/event/backchannel-logout': {} });
  assert.equal(typeof claims['sid'], 'string');
  assert.equal(claims['nonce'], undefined);
});

test('token, revoke, userinfo and authorize on the API port', async () => {
  await prepare();
  const authorize = await server.fetch(`${server.apiOrigin}/authorize?a=b`);
  assert.equal(authorize.headers.get('Location'), `${server.origin}/oauth2/authorize?a=b`);
  const tokens = await codeFlow();
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  const userInfo = await server.fetch(`${server.apiOrigin}/userinfo`, { headers });
  assert.equal(userInfo.status, 200);
  const form = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> => {
    const { client_id: id, client_secret: secret } = config.clientMetadata();
    return server.fetch(`${server.apiOrigin}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: id, client_secret: secret ?? '', ...fields }).toString(),
    });
  };
  assert.equal((await form('/token', { grant_type: 'client_credentials' })).status, 200);
  assert.equal((await form('/revoke', { token: tokens.access_token })).status, 200);
  const ended = await server.fetch(`${server.apiOrigin}/userinfo`, { headers });
  assert.equal(ended.status, 401);
});
