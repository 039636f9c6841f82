import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { configureLog } from '#core';
import { freePort } from '../helpers/free-port.ts';
import { createScriptedBrowser } from '../helpers/scripted-browser.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

// The profile of docs/guides/identity.md for suites that want an issuer at the root of an origin without TLS.
const port = await freePort();
const origin = `http://localhost:${port}`;
const profile = `[super_admin]
username = "admin"
password = "correct horse"
[server]
base_path = "${origin}"
[oauth.oidc]
id_token.issuer = "${origin}"
${freePorts.replace('[transport.http.properties]\nport = 0', `[transport.http.properties]\nport = ${port}`)}`;

let server: TemporaryServer;
before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  server = await startTemporaryServer({}, profile);
});
after(async () => {
  await server[Symbol.asyncDispose]();
  configureLog({ level: 'info', format: 'json' });
});

const notFollowing = ((url: string, init?: RequestInit) => fetch(url, { ...init, redirect: 'manual' })) as typeof fetch;

test('a relying party without TLS signs a user in at an issuer at the root of its origin', async () => {
  const registered = await fetch(`${origin}/api/identity/oauth2/dcr/v1.1/register`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Basic ${Buffer.from('admin:correct horse').toString('base64')}`,
    },
    body: JSON.stringify({
      client_name: 'suite',
      grant_types: ['authorization_code', 'client_credentials'],
      redirect_uris: ['https://rp.example/cb'],
    }),
  });
  assert.equal(registered.status, 201);
  const { client_id: id, client_secret: secret } = (await registered.json()) as Record<string, string>;
  const insecure = { execute: [client.allowInsecureRequests] };
  const config = await client.discovery(new URL(origin), id ?? '', secret, undefined, insecure);
  const metadata = config.serverMetadata();
  assert.equal(metadata.issuer, origin);
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value === 'string' && (name.endsWith('_endpoint') || name === 'jwks_uri')) {
      assert.ok(value.startsWith(`${origin}/`), name);
    }
  }

  const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: 'https://rp.example/cb',
    scope: 'openid',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const browser = createScriptedBrowser(origin, notFollowing);
  await browser.open(url);
  const back = await browser.agree('admin', 'correct horse');
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(config, back, checks);
  assert.equal(tokens.claims()?.iss, origin);
  const info = await client.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '');
  assert.equal(info.sub, tokens.claims()?.sub);
  assert.ok((await client.clientCredentialsGrant(config)).access_token);
});
