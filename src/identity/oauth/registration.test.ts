import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acme, basic, startTestIdentity, type TestAnswer, type TestIdentity } from '../test-identity.ts';

const path = '/api/identity/oauth2/dcr/v1.1/register';
const good = { client_name: 'shop', redirect_uris: ['https://shop/cb'], grant_types: ['authorization_code'] };

async function start(): Promise<TestIdentity> {
  const server = await startTestIdentity();
  server.users.add({ name: 'admin', password: 'secret-admin', roles: ['admin'] });
  server.users.add({ name: 'ada', password: 'secret-ada' });
  server.users.add({ name: 'admin', password: 'secret-theirs', roles: ['admin'], tenant: acme });
  return server;
}

function send(server: TestIdentity, body: unknown, { method = 'POST', target = path, user = basic('admin') } = {}) {
  const headers = [...user, 'Content-Type', 'application/json'];
  const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
  return server.call(target, { method, headers, ...(text !== undefined && { body: text }) });
}

test('a client is registered, read, changed and deleted', async () => {
  await using server = await start();
  const created = await send(server, { ...good, software_id: 'kept' });
  assert.equal(created.status, 201, created.text);
  const { client_id: id, client_secret: secret, registration_access_token: token, ...rest } = created.json();
  assert.match(String(id), /^\w{28}$/);
  assert.match(String(secret), /^\w{28}$/);
  assert.match(String(token), /^[\w-]{43}$/);
  assert.deepEqual(rest, {
    ...good,
    software_id: 'kept',
    client_secret_expires_at: 0,
    ext_application_owner: 'admin',
    registration_client_uri: `https://localhost:9443${path}/${String(id)}`,
  });
  const target = `${path}/${String(id)}`;
  assert.equal((await send(server, undefined, { method: 'GET', target })).json()['client_secret'], secret);
  const changed = await send(server, { ...good, client_name: 'shop 2' }, { method: 'PUT', target });
  assert.equal(changed.json()['client_name'], 'shop 2');
  assert.equal((await send(server, undefined, { method: 'GET', target: `${path}?client_name=shop%202` })).status, 200);
  assert.equal((await send(server, undefined, { method: 'DELETE', target })).status, 204);
  assert.equal((await send(server, undefined, { method: 'GET', target })).status, 401);
});

test('who may register', async () => {
  await using server = await start();
  assert.equal((await send(server, good, { user: [] })).status, 401);
  assert.equal((await send(server, good, { user: basic('admin', 'wrong') })).status, 401);
  assert.equal((await send(server, good, { user: basic('ada') })).status, 403);
  const theirs = basic('admin@acme.com', 'secret-theirs');
  assert.equal((await send(server, good, { user: theirs })).status, 403, 'another tenant');
  assert.equal((await send(server, good, { user: theirs, target: `/t/acme.com${path}` })).status, 201);
});

test('what is wrong is named', async (context) => {
  await using server = await start();
  const rows: readonly (readonly [name: string, body: unknown, error: string, message: RegExp])[] = [
    ['no JSON', '{', 'invalid_client_metadata', /no JSON/],
    ['a list', [], 'invalid_client_metadata', /The body/],
    ['no name', { ...good, client_name: undefined }, 'invalid_client_metadata', /^client_name/],
    ['unknown grant', { ...good, grant_types: ['magic'] }, 'invalid_client_metadata', /"magic"/],
    ['no address', { ...good, redirect_uris: [] }, 'invalid_redirect_uri', /at least one/],
    ['relative address', { ...good, redirect_uris: ['/cb'] }, 'invalid_redirect_uri', /absolute/],
    ['a script', { ...good, redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri', /absolute/],
    ['a fragment', { ...good, redirect_uris: ['https://a/#b'] }, 'invalid_redirect_uri', /fragment/],
    ['a broken pattern', { ...good, redirect_uris: ['regexp=('] }, 'invalid_redirect_uri', /pattern/],
    [
      'an id of another shape',
      { ...good, ext_param_client_id: 'a b' },
      'invalid_client_metadata',
      /ext_param_client_id/,
    ],
    [
      'keys and their address',
      { ...good, jwks: { keys: [] }, jwks_uri: 'https://a/jwks' },
      'invalid_client_metadata',
      /one of them/,
    ],
    [
      'a key that is not there',
      { ...good, token_endpoint_auth_method: 'private_key_jwt' },
      'invalid_client_metadata',
      /needs jwks/,
    ],
    [
      'no key at all',
      { ...good, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } },
      'invalid_client_metadata',
      /needs jwks/,
    ],
    ['another kind of application', { ...good, application_type: 'tv' }, 'invalid_client_metadata', /application_type/],
    [
      'a web application that gets tokens without TLS',
      { ...good, application_type: 'web', grant_types: ['implicit'], redirect_uris: ['http://app.example/cb'] },
      'invalid_redirect_uri',
      /https/,
    ],
    [
      'a web application on this machine',
      { ...good, application_type: 'web', grant_types: ['implicit'], redirect_uris: ['https://localhost/cb'] },
      'invalid_redirect_uri',
      /localhost/,
    ],
    [
      'a native application in the web',
      { ...good, application_type: 'native', redirect_uris: ['https://app.example/cb'] },
      'invalid_redirect_uri',
      /scheme of its own/,
    ],
    [
      'a native application elsewhere',
      { ...good, application_type: 'native', redirect_uris: ['http://app.example/cb'] },
      'invalid_redirect_uri',
      /scheme of its own/,
    ],
    [
      'a login without TLS',
      { ...good, initiate_login_uri: 'http://app.example/login' },
      'invalid_client_metadata',
      /initiate_login_uri/,
    ],
    [
      'a sector without TLS',
      { ...good, sector_identifier_uri: 'http://app.example/s' },
      'invalid_client_metadata',
      /sector_identifier_uri/,
    ],
    [
      'signed requests without a key',
      { ...good, require_signed_request_object: true },
      'invalid_client_metadata',
      /signed requests need/,
    ],
    ['requests that are unsigned', { ...good, request_object_signing_alg: 'none' }, 'invalid_client_metadata', /alg/],
    ['a statement that is none', { ...good, software_statement: 'x' }, 'invalid_software_statement', /signed JWT/],
  ];
  for (const [name, body, error, message] of rows) {
    await context.test(name, async () => {
      const answer: TestAnswer = await send(server, body);
      assert.equal(answer.status, 400);
      assert.equal(answer.json()['error'], error);
      assert.match(String(answer.json()['error_description']), message);
    });
  }
  await send(server, good);
  assert.equal((await send(server, good)).json()['error'], 'invalid_client_metadata', 'the name is taken');
});

test('a change by its owner leaves a client stopped that an administrator has stopped, and what the form cannot say', async () => {
  await using server = await start();
  const legacy = { clientName: 'portal', grantType: 'client_credentials', saasApp: true };
  const made = await send(server, legacy, { target: '/client-registration/v0.17/register' });
  const { clientId: id, clientSecret: secret } = made.json();
  const { clients } = server.identity;
  const client = await clients.findAnywhere(String(id));
  assert.ok(client?.isSaas);
  await clients.update({ ...client, isActive: false, audiences: ['https://api.example'] });
  const change = { client_name: 'portal 2', grant_types: ['client_credentials'] };
  const changed = await send(server, change, { method: 'PUT', target: `${path}/${String(id)}` });
  assert.equal(changed.status, 200, changed.text);
  const { name, isActive, isSaas, audiences } = (await clients.findAnywhere(String(id))) ?? {};
  assert.deepEqual([name, isActive, isSaas, audiences], ['portal 2', false, true, ['https://api.example']]);
  const asked = { headers: basic(String(id), String(secret)), form: { grant_type: 'client_credentials' } };
  assert.equal((await server.call('/oauth2/token', asked)).status, 401);
});

test('what the metadata of a change leave out is gone', async () => {
  await using server = await start();
  const more = { ...good, ext_pkce_mandatory: true, ext_user_token_lifetime: 60, software_id: 'gone' };
  const { client_id: id } = (await send(server, more)).json();
  const changed = await send(server, good, { method: 'PUT', target: `${path}/${String(id)}` });
  const { ext_pkce_mandatory: pkce, ext_user_token_lifetime: lifetime, software_id: software } = changed.json();
  assert.deepEqual([pkce, lifetime, software], [undefined, undefined, undefined]);
  const client = await server.identity.clients.findAnywhere(String(id));
  assert.deepEqual([client?.pkceMandatory, client?.lifetimes], [false, {}]);
});

test('what kinds of applications register', async (context) => {
  await using server = await start();
  const rows: readonly (readonly [name: string, body: object])[] = [
    ['web with a code', { application_type: 'web', redirect_uris: ['http://localhost/cb'] }],
    ['web with tokens', { application_type: 'web', grant_types: ['implicit'] }],
    ['native with a scheme', { application_type: 'native', redirect_uris: ['com.example.app:/cb'] }],
    [
      'native on loopback',
      { application_type: 'native', redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]:80/cb'] },
    ],
    ['native on localhost', { application_type: 'native', redirect_uris: ['http://localhost:8123/cb'] }],
    ['unsaid', { grant_types: ['implicit'], redirect_uris: ['http://localhost:8080/cb'] }],
    ['a key', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://a.example/jwks' }],
  ];
  for (const [name, body] of rows) {
    await context.test(name, async () => {
      const answer = await send(server, { ...good, client_name: name, ...body });
      assert.equal(answer.status, 201, answer.text);
      for (const [member, value] of Object.entries(body)) assert.deepEqual(answer.json()[member], value);
    });
  }
});

test('a client manages its registration with the token that it got, and no other', async () => {
  await using server = await start();
  const made = (await send(server, good)).json();
  const other = (await send(server, { ...good, client_name: 'other' })).json();
  const { client_id: id, client_secret: secret, registration_access_token: token } = made;
  const target = String(made['registration_client_uri']).replace('https://localhost:9443', '');
  const bearer = (value: unknown): string[] => ['Authorization', `Bearer ${String(value)}`];
  const as = (value: unknown, method = 'GET', body?: unknown): Promise<TestAnswer> =>
    send(server, body, { method, target, user: bearer(value) });
  const seen = (await as(token)).json();
  assert.deepEqual([seen['client_id'], seen['registration_access_token']], [id, token]);
  assert.equal((await as(other['registration_access_token'])).status, 401);
  assert.equal((await as('x'.repeat(43))).status, 401);
  const byOwner = await send(server, undefined, { method: 'GET', target });
  assert.equal(byOwner.json()['registration_access_token'], undefined, 'only its hash is kept');
  const sentBack = { ...seen, client_name: 'renamed' };
  const changed = await as(token, 'PUT', sentBack);
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual([changed.json()['client_name'], changed.json()['client_secret']], ['renamed', secret]);
  const kept = await server.identity.clients.findAnywhere(String(id));
  for (const name of ['client_secret', 'registration_access_token', 'client_id']) {
    assert.equal(kept?.metadata[name], undefined, `${name} is not kept as it came`);
  }
  const wrong = await as(token, 'PUT', { ...good, client_id: other['client_id'] });
  assert.deepEqual([wrong.status, wrong.json()['error']], [400, 'invalid_client_metadata']);
  const { clients } = server.identity;
  assert.ok(kept);
  await clients.update({ ...kept, isActive: false });
  assert.equal((await as(token, 'PUT', good)).status, 401, 'a stopped client');
  await clients.update({ ...kept, isActive: true });
  assert.equal((await as(token, 'DELETE')).status, 204);
  assert.equal((await as(token)).status, 401);
  const records = server.audited.map(({ actor, action, outcome }) => `${actor} ${action} ${outcome}`);
  assert.deepEqual(records.slice(-3), [
    `${String(id)} updated failure`,
    'anonymous updated failure',
    `${String(id)} deleted success`,
  ]);
});
