import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { CompactEncrypt, exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { authorizeUrl, callback, createTestBrowser, type TestBrowser } from '../test-browser.ts';
import { basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import type { Client } from './client.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', use: 'sig' }] };
const issuer = 'https://localhost:9443/oauth2/token';
const wanted = { client_id: 'web', response_type: 'code', redirect_uri: callback, scope: 'openid', state: 'inside' };

async function start(facts: Partial<Client> = {}): Promise<TestIdentity> {
  const server = await startTestIdentity();
  const grantTypes = ['authorization_code'];
  await server.client('web', { grantTypes, redirectUris: [callback], jwks: keySet, ...facts });
  server.users.add({ name: 'ada', password: 'right' });
  return server;
}

interface Signing {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: Parameters<SignJWT['sign']>[0];
}

function sign(claims: object, { header = {}, key = privateKey }: Signing = {}): Promise<string> {
  return new SignJWT({ iss: 'web', aud: issuer, ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key);
}

async function open(server: TestIdentity, parameters: Readonly<Record<string, string>>): Promise<TestBrowser> {
  const browser = createTestBrowser(server);
  return browser.open(`/oauth2/authorize?${new URLSearchParams({ client_id: 'web', ...parameters }).toString()}`);
}

test('a signed request counts with its own parameters alone', async () => {
  await using server = await start();
  const request = await sign({ ...wanted, max_age: 100, claims: { id_token: { auth_time: null } } });
  const browser = await open(server, { request, state: 'outside', scope: 'other', prompt: 'none' });
  await browser.submit({ username: 'ada', password: 'right' });
  await browser.submit({ consent: 'approve' });
  const { code = '', state } = browser.returned();
  assert.equal(state, 'inside');
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
  const answer = (await server.call('/oauth2/token', { headers: basic('web'), form })).json();
  assert.equal(answer['scope'], 'openid');
});

test('keys come from the address of the client, too', async () => {
  await using server = await start({ jwks: undefined, jwksUri: 'https://rp.example/jwks' });
  const request = await sign(wanted, { header: { kid: 'one' } });
  assert.match((await open(server, { request })).place, /oauthErrorCode=invalid_request_object/, 'nothing there');
  server.published.set('https://rp.example/jwks', JSON.stringify(keySet));
  server.clock.advance(60_000);
  assert.match((await open(server, { request })).place, /login\.do/);
});

test('request objects that are refused', async (context) => {
  await using server = await start();
  await server.client('bare', { grantTypes: ['authorization_code'], redirectUris: [callback] });
  const now = Math.floor(server.clock.now() / 1000);
  const key = Buffer.from(JSON.stringify(keySet.keys[0]));
  const encrypted = await new CompactEncrypt(Buffer.from(await sign(wanted)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(randomBytes(32));
  const rows: readonly (readonly [name: string, request: string])[] = [
    ['unsigned', new UnsecuredJWT(wanted).encode()],
    ['no JWT', 'e30.e30.'],
    ['signed by somebody else', await sign(wanted, { key: other.privateKey })],
    ['signed with the public key as a secret', await sign(wanted, { header: { alg: 'HS256' }, key })],
    ['of another client', await sign({ ...wanted, client_id: 'bare' })],
    ['without a client', await sign({ ...wanted, client_id: undefined })],
    ['of another issuer', await sign({ ...wanted, iss: 'bare' })],
    ['for another server', await sign({ ...wanted, aud: 'https://other.example' })],
    ['over', await sign({ ...wanted, exp: now - 1 })],
    ['not yet', await sign({ ...wanted, nbf: now + 60 })],
    ['another kind of JWT', await sign(wanted, { header: { typ: 'at+jwt' } })],
    ['one in another', await sign({ ...wanted, request: await sign(wanted) })],
    ['with a reference', await sign({ ...wanted, request_uri: 'https://rp.example/r' })],
    ['encrypted', encrypted],
    ['too long', await sign({ ...wanted, padding: 'x'.repeat(40_000) })],
  ];
  for (const [name, request] of rows) {
    await context.test(name, async () => {
      const alone = await open(server, { request });
      assert.match(alone.place, /oauthErrorCode=invalid_request_object/, 'an address inside is not believed');
      const told = await open(server, { request, redirect_uri: callback, response_type: 'code', state: 'outside' });
      const { error, state } = told.returned();
      assert.deepEqual([error, state], ['invalid_request_object', 'outside']);
    });
  }
  await context.test('of a client without keys', async () => {
    const request = await sign({ ...wanted, client_id: 'bare', iss: 'bare' });
    assert.match((await open(server, { client_id: 'bare', request })).place, /invalid_request_object/);
  });
  await context.test('with an address that is not registered', async () => {
    const request = await sign({ ...wanted, redirect_uri: 'https://evil.example/' });
    const browser = await open(server, { request, redirect_uri: callback });
    assert.match(browser.place, /oauthErrorCode=invalid_callback/);
  });
  await context.test('beside a reference', async () => {
    const browser = await open(server, { request: await sign(wanted), request_uri: 'urn:x', redirect_uri: callback });
    assert.equal(browser.returned()['error'], 'invalid_request');
  });
});

test('a client may bind itself to an algorithm, and to signing', async () => {
  await using server = await start({ requestObjectAlgorithm: 'RS256', requiresSignedRequests: true });
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ scope: 'openid' }));
  assert.equal(browser.returned()['error'], 'invalid_request');
  assert.match((await open(server, { request: await sign(wanted) })).place, /invalid_request_object/);
  const client = await server.identity.clients.findAnywhere('web');
  assert.ok(client);
  await server.identity.clients.update({ ...client, requestObjectAlgorithm: 'ES256' });
  assert.match((await open(server, { request: await sign(wanted) })).place, /login\.do/);
});

test('a signed request can be pushed', async () => {
  await using server = await start({ requiresSignedRequests: true });
  const push = (form: Readonly<Record<string, string>>) =>
    server.call('/oauth2/par', { headers: basic('web'), form: { ...wanted, ...form } });
  assert.equal((await push({})).json()['error'], 'invalid_request');
  const forged = await push({ request: await sign(wanted, { key: other.privateKey }) });
  assert.deepEqual([forged.status, forged.json()['error']], [400, 'invalid_request_object']);
  const pushed = await push({ request: await sign({ ...wanted, prompt: 'none' }), state: 'outside' });
  assert.equal(pushed.status, 201, pushed.text);
  const browser = await open(server, { request_uri: String(pushed.json()['request_uri']) });
  const { error, state } = browser.returned();
  assert.deepEqual([error, state], ['login_required', 'inside']);
});
