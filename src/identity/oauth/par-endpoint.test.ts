import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callback, createTestBrowser, prepare } from '../test-browser.ts';
import { basic, startTestIdentity, type TestAnswer, type TestIdentity } from '../test-identity.ts';

const form = { response_type: 'code', redirect_uri: callback, scope: 'openid', state: 's' };

function push(server: TestIdentity, more: Readonly<Record<string, string>> = {}, id = 'web'): Promise<TestAnswer> {
  return server.call('/oauth2/par', { headers: basic(id), form: { ...form, ...more } });
}

async function open(server: TestIdentity, reference: unknown, id = 'web'): Promise<string> {
  const query = new URLSearchParams({ client_id: id, request_uri: String(reference), scope: 'ignored' });
  const browser = createTestBrowser(server);
  await browser.open(`/oauth2/authorize?${query.toString()}`);
  return browser.place;
}

test('a pushed request is used once, by its client, within a minute (RFC 9126 2.2, 4)', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  await server.client('other', { grantTypes: ['authorization_code'], redirectUris: [callback] });
  const answer = await push(server);
  assert.equal(answer.status, 201);
  const { request_uri: reference, expires_in: life } = answer.json();
  assert.match(String(reference), /^urn:ietf:params:oauth:par:request_uri:[0-9a-f-]{36}$/);
  assert.equal(life, 60);
  assert.match(await open(server, reference, 'other'), /invalid_request_uri/);
  assert.match(await open(server, reference), /login\.do/);
  assert.match(await open(server, reference), /invalid_request_uri/);
  const late = (await push(server)).json()['request_uri'];
  server.clock.advance(60_000);
  assert.match(await open(server, late), /invalid_request_uri/);
});

test('what cannot be pushed', async (context) => {
  await using server = await startTestIdentity();
  await prepare(server);
  await server.client('strict', { grantTypes: ['authorization_code'], redirectUris: [callback], pkceMandatory: true });
  const rows: readonly (readonly [string, () => Promise<TestAnswer>, number, string])[] = [
    ['a reference', () => push(server, { request_uri: 'urn:x' }), 400, 'invalid_request'],
    ['a wrong address', () => push(server, { redirect_uri: 'https://evil.example/' }), 400, 'invalid_request'],
    ['an unknown type', () => push(server, { response_type: 'x' }), 400, 'unsupported_response_type'],
    ['no proof key where one is needed', () => push(server, {}, 'strict'), 400, 'invalid_request'],
    ['another client', () => push(server, { client_id: 'strict' }), 400, 'invalid_request'],
    ['nobody', () => server.call('/oauth2/par', { form: { ...form } }), 401, 'invalid_client'],
    ['a wrong secret', () => server.call('/oauth2/par', { headers: basic('web', 'x'), form }), 401, 'invalid_client'],
  ];
  for (const [name, call, status, error] of rows) {
    await context.test(name, async () => {
      const answer = await call();
      assert.deepEqual([answer.status, answer.json()['error']], [status, error]);
    });
  }
  assert.equal((await server.call('/oauth2/par')).status, 405);
  const large = await server.call('/oauth2/par', { headers: basic('web'), form: { state: 'x'.repeat(300_000) } });
  assert.equal(large.status, 413);
});

test('secrets are not kept with a pushed request', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  await server.call('/oauth2/par', { form: { ...form, client_id: 'web', client_secret: 'secret-web' } });
  const rows = JSON.stringify(await server.database.all('SELECT * FROM mr_pushed_request', []));
  assert.match(rows, /openid/);
  assert.doesNotMatch(rows, /secret-web/);
});
