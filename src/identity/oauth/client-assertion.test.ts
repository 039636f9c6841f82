import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT, UnsecuredJWT, exportJWK } from 'jose';
import { acme, basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import { assertionType } from './client-authentication.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
const endpoint = 'https://localhost:9443/oauth2/token';

interface Claims {
  readonly [name: string]: unknown;
}

function sign(server: TestIdentity, claims: Claims = {}, key = privateKey): Promise<string> {
  const now = Math.floor(server.clock.now() / 1000);
  const all = { iss: 'app', sub: 'app', aud: endpoint, exp: now + 60, jti: crypto.randomUUID(), ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key);
}

function ask(server: TestIdentity, assertion: string, more: Readonly<Record<string, string>> = {}) {
  const form = {
    grant_type: 'client_credentials',
    client_assertion_type: assertionType,
    client_assertion: assertion,
    ...more,
  };
  return server.call('/oauth2/token', { form });
}

test('RFC 7523 §2.2: a client authenticates with a key that it registered', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { jwks, authentication: 'private_key_jwt' });
  assert.equal((await ask(server, await sign(server))).status, 200);
  const issuer = await sign(server, { aud: ['https://other.example', endpoint] });
  assert.equal((await ask(server, issuer, { client_id: 'app' })).status, 200, 'one of several audiences is ours');
});

test('I10, RFC 7523 §3: assertions that are refused', async (context) => {
  await using server = await startTestIdentity();
  await server.client('app', { jwks, authentication: 'private_key_jwt' });
  await server.client('bare');
  const now = Math.floor(server.clock.now() / 1000);
  const rows: readonly (readonly [name: string, assertion: string, more?: Record<string, string>])[] = [
    ['signed with another key', await sign(server, {}, other.privateKey)],
    [
      'unsigned',
      new UnsecuredJWT({ iss: 'app', sub: 'app', aud: endpoint, jti: 'x' }).setExpirationTime('1m').encode(),
    ],
    [
      'HMAC with the public key',
      await new SignJWT({ iss: 'app', sub: 'app', aud: endpoint, exp: now + 60, jti: 'x' })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(publicKey.export({ type: 'spki', format: 'der' })),
    ],
    ['issuer and subject differ', await sign(server, { sub: 'other' })],
    ['meant for somebody else', await sign(server, { aud: 'https://other.example/token' })],
    ['without an audience', await sign(server, { aud: undefined })],
    ['ended', await sign(server, { exp: now - 1 })],
    ['without an end', await sign(server, { exp: undefined })],
    ['not yet good', await sign(server, { nbf: now + 60 })],
    ['without jti', await sign(server, { jti: undefined })],
    ['for years', await sign(server, { exp: now + 40_000_000 })],
    ['of a client that is not there', await sign(server, { iss: 'nobody', sub: 'nobody' })],
    ['of a client without keys', await sign(server, { iss: 'bare', sub: 'bare' })],
    ['with the id of another client', await sign(server), { client_id: 'bare' }],
    ['no JWT', 'three.dots.here'],
    ['of another type', await sign(server), { client_assertion_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }],
  ];
  for (const [name, assertion, more] of rows) {
    await context.test(name, async () => {
      const answer = await ask(server, assertion, more);
      assert.equal(answer.status, 401, answer.text);
      assert.equal(answer.json()['error'], 'invalid_client');
    });
  }
});

test('RFC 7523 §3: an assertion counts once, on every node', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { jwks });
  const assertion = await sign(server);
  const statuses = await Promise.all([1, 2, 3].map(async () => (await ask(server, assertion)).status));
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 401, 401],
  );
  const again = await sign(server, { jti: 'known' });
  assert.equal((await ask(server, again)).status, 200);
  assert.equal((await ask(server, await sign(server, { jti: 'known' }))).status, 401);
  server.clock.advance(200_000);
  assert.equal((await ask(server, await sign(server, { jti: 'known' }))).status, 200, 'the first one has ended');
});

test('RFC 6749 §2.3: credentials beside an assertion are refused', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { jwks });
  const form = { grant_type: 'client_credentials', client_assertion_type: assertionType };
  const withBasic = await server.call('/oauth2/token', {
    headers: basic('app'),
    form: { ...form, client_assertion: await sign(server) },
  });
  assert.equal(withBasic.json()['error'], 'invalid_request');
  const withSecret = await ask(server, await sign(server), { client_secret: 'secret-app' });
  assert.equal(withSecret.json()['error'], 'invalid_request');
});

test('keys of jwks_uri are fetched once, and again when a key is missing', async () => {
  await using server = await startTestIdentity();
  const url = 'https://app.example/jwks';
  server.published.set(url, JSON.stringify(jwks));
  await server.client('app', { jwksUri: url });
  assert.equal((await ask(server, await sign(server))).status, 200);
  server.published.set(url, JSON.stringify({ keys: [{ ...(await exportJWK(other.publicKey)), kid: 'two' }] }));
  const rotated = async (): Promise<string> => {
    const now = Math.floor(server.clock.now() / 1000);
    const claims = { iss: 'app', sub: 'app', aud: endpoint, exp: now + 60, jti: crypto.randomUUID() };
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'two' }).sign(other.privateKey);
  };
  assert.equal((await ask(server, await rotated())).status, 401, 'the set was fetched a moment ago');
  server.clock.advance(31_000);
  assert.equal((await ask(server, await rotated())).status, 200);
});

test('keys are not fetched over plain HTTP from other machines', async () => {
  await using server = await startTestIdentity();
  const url = 'http://app.example/jwks';
  server.published.set(url, JSON.stringify(jwks));
  await server.client('app', { jwksUri: url });
  assert.equal((await ask(server, await sign(server))).json()['error'], 'invalid_client');
});

test('a client of another tenant is unknown below the path of a tenant', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { jwks, tenant: acme });
  const assertion = await sign(server, { aud: 'https://localhost:9443/t/acme.com/oauth2/token' });
  assert.equal((await ask(server, assertion)).status, 200);
  const form = { grant_type: 'client_credentials', client_assertion_type: assertionType };
  const call = async (path: string) =>
    server.call(path, {
      form: {
        ...form,
        client_assertion: await sign(server, { aud: 'https://localhost:9443/t/acme.com/oauth2/token' }),
      },
    });
  assert.equal((await call('/t/acme.com/oauth2/token')).status, 200);
  assert.equal((await call('/t/carbon.super/oauth2/token')).status, 401);
});

test('RFC 7591 §2: a pinned method excludes the others', async (context) => {
  await using server = await startTestIdentity();
  await server.client('basic', { authentication: 'client_secret_basic' });
  await server.client('post', { authentication: 'client_secret_post' });
  const form = { grant_type: 'client_credentials' };
  const byBasic = (id: string) => server.call('/oauth2/token', { headers: basic(id), form });
  const byPost = (id: string) =>
    server.call('/oauth2/token', { form: { ...form, client_id: id, client_secret: `secret-${id}` } });
  await context.test('basic', async () => {
    assert.deepEqual([(await byBasic('basic')).status, (await byPost('basic')).status], [200, 401]);
  });
  await context.test('post', async () => {
    assert.deepEqual([(await byBasic('post')).status, (await byPost('post')).status], [401, 200]);
  });
});
