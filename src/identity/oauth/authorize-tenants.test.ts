import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { authorizeUrl, callback, createTestBrowser } from '../test-browser.ts';
import { acme, startTestIdentity, type TestIdentity } from '../test-identity.ts';

const facts = { grantTypes: ['implicit'], redirectUris: [callback] } as const;
const request = { scope: 'openid', response_type: 'id_token', nonce: 'n' };

/** Users `ada` of the super tenant and of acme.com, with passwords of their own. */
async function start(): Promise<TestIdentity> {
  const server = await startTestIdentity();
  server.users.add({ name: 'ada', password: 'super' });
  server.users.add({ name: 'ada', password: 'acme', tenant: acme });
  return server;
}

test('all of a tenant’s pages and its issuer are below its path', async () => {
  await using server = await start();
  await server.client('theirs', { ...facts, tenant: acme });
  const browser = createTestBrowser(server);
  await browser.open(`/t/acme.com${authorizeUrl({ client_id: 'theirs', ...request })}`);
  assert.match(browser.place, /^\/t\/acme\.com\/authenticationendpoint\/login\.do/);
  await browser.submit({ username: 'ada', password: 'acme' });
  assert.match(browser.place, /^\/t\/acme\.com\/authenticationendpoint\/oauth2_consent\.do/);
  await browser.submit({ consent: 'approve' });
  const { id_token: token = '', iss } = browser.returned();
  assert.equal(iss, 'https://localhost:9443/t/acme.com/oauth2/token');
  assert.deepEqual([decodeJwt(token).iss, decodeJwt(token).sub], [iss, 'id-acme.com-ada']);
  await browser.open(`/t/acme.com/oidc/logout?id_token_hint=${token}`);
  assert.match(browser.place, /^\/t\/acme\.com\/authenticationendpoint\/oauth2_logout\.do/);
});

test('clients and users of other tenants are unknown, unless the application is for all', async () => {
  await using server = await start();
  await server.client('ours', facts);
  await server.client('everybodys', { ...facts, isSaas: true });
  const browser = createTestBrowser(server);
  await browser.open(`/t/acme.com${authorizeUrl({ client_id: 'ours' })}`);
  assert.match(browser.place, /oauth2_error\.do\?oauthErrorCode=invalid_client/);
  await browser.open(authorizeUrl({ client_id: 'ours', ...request }));
  await browser.submit({ username: 'ada@acme.com', password: 'acme' });
  assert.match(browser.answer.text, /is not right/);
  await browser.open(authorizeUrl({ client_id: 'everybodys', ...request }));
  await browser.submit({ username: 'ada@acme.com', password: 'acme' });
  await browser.submit({ consent: 'approve' });
  assert.equal(decodeJwt(browser.returned()['id_token'] ?? '').sub, 'id-acme.com-ada');
  await browser.open(authorizeUrl({ client_id: 'ours', ...request, prompt: 'none' }));
  assert.equal(browser.returned()['error'], 'login_required', 'a session of another tenant does not count');
});

test('a hint of another tenant is none', async () => {
  await using server = await start();
  await server.client('theirs', { ...facts, tenant: acme });
  await server.client('ours', facts);
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ client_id: 'theirs', ...request }));
  await browser.submit({ username: 'ada', password: 'acme' });
  await browser.submit({ consent: 'approve' });
  const hint = browser.returned()['id_token'] ?? '';
  await browser.open(authorizeUrl({ client_id: 'ours', ...request, id_token_hint: hint }));
  assert.equal(browser.returned()['error'], 'invalid_request');
});
