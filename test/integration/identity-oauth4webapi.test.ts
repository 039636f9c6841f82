import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { adminName, adminPassword, startIdentityServer, type IdentityServer } from '../helpers/identity-server.ts';
import { jwtAssertion, partnerFiles, samlAssertion } from '../helpers/partner-provider.ts';
import { createScriptedBrowser, hiddenFields } from '../helpers/scripted-browser.ts';

const callback = 'https://rp.example/cb';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

let server: IdentityServer;
let as: oauth.AuthorizationServer;
let rp: oauth.Client;
let proof: oauth.ClientAuth;
/** The part of `fetch` that the client uses. */
type ClientFetch = (url: string, options: oauth.CustomFetchOptions<string, BodyInit | undefined>) => Promise<Response>;

let options: { [oauth.customFetch]: ClientFetch };

before(async () => {
  server = await startIdentityServer('', undefined, partnerFiles);
  options = {
    [oauth.customFetch]: (url, { method, headers, body, redirect }) =>
      server.fetch(url, { method, headers, redirect, ...(body !== undefined && { body }) }),
  };
  as = await oauth.processDiscoveryResponse(server.issuer, await oauth.discoveryRequest(server.issuer, options));
  const registered = await server.register({
    client_name: 'oauth4webapi',
    grant_types: as.grant_types_supported ?? [],
    redirect_uris: [callback],
  });
  rp = registered;
  proof = oauth.ClientSecretBasic(registered.client_secret);
});
after(() => server[Symbol.asyncDispose]());

test('RFC 8414 metadata say the same', async () => {
  const response = await oauth.discoveryRequest(server.issuer, { ...options, algorithm: 'oauth2' });
  assert.deepEqual(await oauth.processDiscoveryResponse(server.issuer, response), as);
});

interface Trip {
  readonly url: URL;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** To the authorization endpoint and back, as a new browser of a user who signs in and agrees. */
async function travel(more: Readonly<Record<string, string>>, pushed = false): Promise<Trip> {
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const verifier = oauth.generateRandomCodeVerifier();
  const parameters = new URLSearchParams({
    client_id: rp.client_id,
    redirect_uri: callback,
    scope: 'openid',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  });
  const url = new URL(as.authorization_endpoint ?? '');
  if (pushed) {
    const sent = await oauth.pushedAuthorizationRequest(as, rp, proof, parameters, options);
    const { request_uri: reference } = await oauth.processPushedAuthorizationResponse(as, rp, sent);
    url.search = new URLSearchParams({ client_id: rp.client_id, request_uri: reference }).toString();
  } else url.search = parameters.toString();
  const browser = createScriptedBrowser(server.origin, server.fetch);
  await browser.open(url);
  if (!(more['response_mode'] ?? '').startsWith('form_post')) {
    return { url: await browser.agree(adminName, adminPassword), state, nonce, verifier };
  }
  await browser.submit({ username: adminName, password: adminPassword });
  await browser.submit({ consent: 'approve' });
  return { url: new URL(`${callback}?${new URLSearchParams(hiddenFields(browser.text))}`), state, nonce, verifier };
}

async function redeem({ verifier, nonce }: Trip, parameters: URLSearchParams): Promise<oauth.TokenEndpointResponse> {
  const sent = await oauth.authorizationCodeGrantRequest(as, rp, proof, parameters, callback, verifier, options);
  return oauth.processAuthorizationCodeResponse(as, rp, sent, { expectedNonce: nonce, requireIdToken: true });
}

test('every response mode that is announced', async (context) => {
  for (const mode of as.response_modes_supported ?? []) {
    await context.test(mode, async () => {
      const trip = await travel({ response_type: 'code', response_mode: mode });
      const { hash, search } = trip.url;
      assert.equal(hash !== '', mode.startsWith('fragment'));
      const given = new URLSearchParams(hash === '' ? search : hash.slice(1));
      const parameters = mode.endsWith('jwt')
        ? await oauth.validateJwtAuthResponse(as, rp, given, trip.state, options)
        : oauth.validateAuthResponse(as, rp, given, trip.state);
      assert.ok((await redeem(trip, parameters)).access_token);
    });
  }
});

test('every response type that is announced', async (context) => {
  for (const type of as.response_types_supported ?? []) {
    await context.test(type, async () => {
      const trip = await travel({ response_type: type });
      const given = new URLSearchParams(trip.url.hash === '' ? trip.url.search : trip.url.hash.slice(1));
      assert.equal(given.get('state'), trip.state);
      assert.equal(given.get('iss'), as.issuer);
      for (const [word, name] of Object.entries({ code: 'code', token: 'access_token', id_token: 'id_token' })) {
        assert.equal(given.has(name), type.split(' ').includes(word), name);
      }
      if (type === 'code id_token') {
        const checked = await oauth.validateCodeIdTokenResponse(
          as,
          rp,
          trip.url,
          trip.nonce,
          trip.state,
          undefined,
          options,
        );
        assert.ok((await redeem(trip, checked)).id_token);
      }
      const token = given.get('access_token');
      if (token === null) return;
      const sent = await oauth.userInfoRequest(as, rp, token, options);
      assert.ok((await oauth.processUserInfoResponse(as, rp, oauth.skipSubjectCheck, sent)).sub);
    });
  }
});

test('a pushed request, tokens, refresh, introspection and revocation', async () => {
  const trip = await travel({ response_type: 'code' }, true);
  const tokens = await redeem(trip, oauth.validateAuthResponse(as, rp, trip.url, trip.state));
  const refresh = await oauth.refreshTokenGrantRequest(as, rp, proof, tokens.refresh_token ?? '', options);
  const renewed = await oauth.processRefreshTokenResponse(as, rp, refresh);
  const isActive = async (token: string): Promise<boolean> => {
    const sent = await oauth.introspectionRequest(as, rp, proof, token, options);
    return (await oauth.processIntrospectionResponse(as, rp, sent)).active;
  };
  assert.deepEqual([await isActive(tokens.access_token), await isActive(renewed.access_token)], [false, true]);
  const revoked = await oauth.revocationRequest(as, rp, proof, renewed.access_token, options);
  await oauth.processRevocationResponse(revoked);
  assert.equal(await isActive(renewed.access_token), false);
});

test('a code that comes twice ends what the first one gave', async () => {
  const trip = await travel({ response_type: 'code' });
  const parameters = oauth.validateAuthResponse(as, rp, trip.url, trip.state);
  const { access_token: token } = await redeem(trip, parameters);
  await assert.rejects(redeem(trip, parameters), { error: 'invalid_grant' });
  const sent = await oauth.introspectionRequest(as, rp, proof, token, options);
  assert.equal((await oauth.processIntrospectionResponse(as, rp, sent)).active, false);
});

test('the device flow: pending, too fast, approved, used', async () => {
  const sent = await oauth.deviceAuthorizationRequest(as, rp, proof, { scope: 'openid' }, options);
  const device = await oauth.processDeviceAuthorizationResponse(as, rp, sent);
  const poll = async (): Promise<oauth.TokenEndpointResponse> =>
    oauth.processDeviceCodeResponse(
      as,
      rp,
      await oauth.deviceCodeGrantRequest(as, rp, proof, device.device_code, options),
    );
  await assert.rejects(poll(), { error: 'authorization_pending' });
  await assert.rejects(poll(), { error: 'slow_down' });
  const browser = createScriptedBrowser(server.origin, server.fetch);
  await browser.open(device.verification_uri_complete ?? '');
  await browser.submit({ user_code: device.user_code });
  await browser.submit({ username: adminName, password: adminPassword });
  await browser.submit({ consent: 'approve' });
  assert.ok((await poll()).id_token);
  await assert.rejects(poll(), { error: 'expired_token' });
});

test('client credentials', async () => {
  const sent = await oauth.clientCredentialsGrantRequest(as, rp, proof, {}, options);
  assert.ok((await oauth.processClientCredentialsResponse(as, rp, sent)).access_token);
});

const samlBearer = 'urn:ietf:params:oauth:grant-type:saml2-bearer';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Sends a grant as a client that may use it; the answer as the library reads it. */
async function grantBy(grant: string, parameters: Readonly<Record<string, string>>) {
  const sent = await oauth.genericTokenEndpointRequest(as, rp, proof, grant, parameters, options);
  return oauth.processGenericTokenEndpointResponse(as, rp, sent);
}

/** Whom an access token is for. */
async function subjectOf(token: string): Promise<string | undefined> {
  const sent = await oauth.introspectionRequest(as, rp, proof, token, options);
  return (await oauth.processIntrospectionResponse(as, rp, sent)).username;
}

/** What each announced grant is driven by; tickets of a domain are judged here, and accepted in their own tests. */
const grants: Readonly<Record<string, () => Promise<unknown>>> = {
  async authorization_code() {
    const trip = await travel({ response_type: 'code' });
    const tokens = await redeem(trip, oauth.validateAuthResponse(as, rp, trip.url, trip.state));
    assert.ok(tokens.id_token);
  },
  async implicit() {
    const trip = await travel({ response_type: 'id_token token' });
    assert.ok(new URLSearchParams(trip.url.hash.slice(1)).get('access_token'));
  },
  async client_credentials() {
    assert.ok((await grantBy('client_credentials', {})).access_token);
  },
  async password() {
    const tokens = await grantBy('password', { username: adminName, password: adminPassword });
    assert.ok(tokens.refresh_token);
  },
  async refresh_token() {
    const { refresh_token: token = '' } = await grantBy('password', { username: adminName, password: adminPassword });
    assert.ok((await grantBy('refresh_token', { refresh_token: token })).access_token);
  },
  async [deviceGrant]() {
    const started = await oauth.deviceAuthorizationRequest(as, rp, proof, { scope: 'openid' }, options);
    const device = await oauth.processDeviceAuthorizationResponse(as, rp, started);
    const browser = createScriptedBrowser(server.origin, server.fetch);
    await browser.open(device.verification_uri_complete ?? '');
    await browser.submit({ user_code: device.user_code });
    await browser.submit({ username: adminName, password: adminPassword });
    await browser.submit({ consent: 'approve' });
    assert.ok((await grantBy(deviceGrant, { device_code: device.device_code })).id_token);
    await assert.rejects(grantBy(deviceGrant, { device_code: 'unknown' }), { error: 'invalid_grant' });
  },
  async [samlBearer]() {
    const tokens = await grantBy(samlBearer, { assertion: samlAssertion(as.issuer, 'ada@partner.example') });
    assert.match((await subjectOf(tokens.access_token)) ?? '', /^ada@partner\.example/);
    await assert.rejects(grantBy(samlBearer, { assertion: 'eA' }), { error: 'invalid_grant' });
  },
  async [jwtBearer]() {
    const tokens = await grantBy(jwtBearer, { assertion: await jwtAssertion(as.issuer, 'ada@partner.example') });
    assert.match((await subjectOf(tokens.access_token)) ?? '', /^ada@partner\.example/);
    const ofAnother = await jwtAssertion('https://other.example', 'ada@partner.example');
    await assert.rejects(grantBy(jwtBearer, { assertion: ofAnother }), { error: 'invalid_grant' });
  },
  'iwa:ntlm': () => assert.rejects(grantBy('iwa:ntlm', { windows_token: 'YA==' }), { error: 'invalid_grant' }),
};

test('every grant that is announced is driven by a row, and no row is of another', async (context) => {
  const announced = as.grant_types_supported ?? [];
  assert.deepEqual(Object.keys(grants).toSorted(), announced.toSorted());
  for (const grant of announced) {
    await context.test(grant, async () => {
      await grants[grant]?.();
    });
  }
});
