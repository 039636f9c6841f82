import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { superTenant } from '../tenants/tenant.ts';
import { acme, basic, headerOf, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import type { CodeGrant } from './codes.ts';
import { userSubject } from './subjects.ts';

const everyGrant = ['client_credentials', 'password', 'authorization_code', 'refresh_token'];

test('client_credentials gives an opaque token, and the same one while it lives', async () => {
  await using server = await startTestIdentity();
  await server.client('app');
  const ask = (): ReturnType<TestIdentity['call']> =>
    server.call('/oauth2/token', { headers: basic('app'), form: { grant_type: 'client_credentials' } });
  const first = await ask();
  assert.equal(first.status, 200);
  const { access_token: token, ...rest } = first.json();
  assert.match(String(token), /^[\w-]{43}$/);
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600 });
  assert.equal(headerOf(first, 'Cache-Control'), 'no-store');
  server.clock.advance(600_000);
  const second = (await ask()).json();
  assert.equal(second['access_token'], token);
  assert.equal(second['expires_in'], 3000);
  server.clock.advance(2_999_500);
  assert.notEqual((await ask()).json()['access_token'], token, 'half a second before its end it is not given again');
});

test('renew_access_token_per_request gives another token and ends the former', async () => {
  await using server = await startTestIdentity({
    toml: '[oauth.token_renewal]\nrenew_access_token_per_request = true',
  });
  await server.client('app');
  const ask = async (): Promise<string> => {
    const answer = await server.call('/oauth2/token', {
      headers: basic('app'),
      form: { grant_type: 'client_credentials' },
    });
    return String(answer.json()['access_token']);
  };
  const first = await ask();
  const second = await ask();
  assert.notEqual(first, second);
  assert.deepEqual(await activity(server, [first, second]), [false, true]);
});

test('refused token requests', async (context) => {
  await using server = await startTestIdentity({ toml: '[oauth.grant_type.password]\nenable = false' });
  await server.client('app');
  await server.client('open', { isPublic: true, grantTypes: everyGrant });
  const form = { grant_type: 'client_credentials' };
  const rows: readonly (readonly [
    name: string,
    call: Parameters<TestIdentity['call']>[1] & { readonly query?: string },
    status: number,
    error: string,
  ])[] = [
    ['repeated parameter', raw('grant_type=a&grant_type=b'), 400, 'invalid_request'],
    ['secret in the query', { headers: basic('app'), form, query: '?client_secret=x' }, 400, 'invalid_request'],
    [
      'two ways to authenticate',
      { headers: basic('app'), form: { ...form, client_secret: 'x' } },
      400,
      'invalid_request',
    ],
    ['no client at all', { form }, 401, 'invalid_client'],
    ['unknown client', { headers: basic('nobody'), form }, 401, 'invalid_client'],
    ['wrong secret', { headers: basic('app', 'wrong'), form }, 401, 'invalid_client'],
    ['client without its secret', { form: { ...form, client_id: 'app' } }, 401, 'invalid_client'],
    ['no grant type', { headers: basic('app'), form: { scope: 'a' } }, 400, 'invalid_request'],
    ['unknown grant', { headers: basic('app'), form: { grant_type: 'magic' } }, 400, 'unsupported_grant_type'],
    ['grant turned off', { headers: basic('app'), form: { grant_type: 'password' } }, 400, 'unsupported_grant_type'],
    [
      'grant that the client lacks',
      { headers: basic('app'), form: { grant_type: 'refresh_token' } },
      400,
      'unauthorized_client',
    ],
    ['public client for itself', { form: { ...form, client_id: 'open' } }, 400, 'unauthorized_client'],
    ['scope with a quote', { headers: basic('app'), form: { ...form, scope: 'a"b' } }, 400, 'invalid_scope'],
    ['text body', { headers: ['Content-Type', 'text/plain'], body: 'x' }, 400, 'invalid_request'],
    ['JSON that is none', { headers: ['Content-Type', 'application/json'], body: '{' }, 400, 'invalid_request'],
  ];
  for (const [name, { query = '', ...call }, status, error] of rows) {
    await context.test(name, async () => {
      const answer = await server.call(`/oauth2/token${query}`, call);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.json()['error'], error);
      assert.equal(headerOf(answer, 'WWW-Authenticate') !== undefined, status === 401);
    });
  }
  const wrongMethod = await server.call('/oauth2/token');
  assert.equal(wrongMethod.status, 405);
  assert.equal(headerOf(wrongMethod, 'Allow'), 'POST, OPTIONS');
});

test('a JSON body and credentials in the body are taken, too', async () => {
  await using server = await startTestIdentity();
  await server.client('app');
  const answer = await server.call('/oauth2/token', {
    headers: ['Content-Type', 'application/json'],
    body: JSON.stringify({ grant_type: 'client_credentials', client_id: 'app', client_secret: 'secret-app' }),
  });
  assert.equal(answer.status, 200, answer.text);
});

test('password gives both tokens, and one answer for every kind of failure', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { grantTypes: everyGrant });
  server.users.add({ name: 'ada', password: 'right' });
  server.users.block(server.users.add({ name: 'bob', password: 'right' }));
  server.users.add({ name: 'ada', password: 'other', tenant: acme });
  const ask = (username: string, password: string): ReturnType<TestIdentity['call']> =>
    server.call('/oauth2/token', {
      headers: basic('app'),
      form: { grant_type: 'password', username, password, scope: 'openid read' },
    });
  const good = await ask('ada@carbon.super', 'right');
  assert.deepEqual(Object.keys(good.json()), [
    'access_token',
    'refresh_token',
    'scope',
    'id_token',
    'token_type',
    'expires_in',
  ]);
  assert.equal(good.json()['scope'], 'openid read');
  const idToken = decodeJwt(String(good.json()['id_token']));
  assert.equal(idToken.iss, 'https://localhost:9443/oauth2/token');
  assert.deepEqual(idToken.aud, ['app']);
  assert.equal(idToken.sub, 'id-carbon.super-ada');
  for (const [name, password] of [
    ['ada', 'wrong'],
    ['nobody', 'right'],
    ['bob', 'right'],
    ['ada@acme.com', 'other'],
  ] as const) {
    const answer = await ask(name, password);
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.json(), { error: 'invalid_grant', error_description: `Authentication failed for ${name}` });
  }
});

test('refresh tokens rotate; one that comes again ends the family', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { grantTypes: everyGrant });
  server.users.add({ name: 'ada', password: 'right' });
  const form = { grant_type: 'password', username: 'ada', password: 'right', scope: 'a b' };
  const first = (await server.call('/oauth2/token', { headers: basic('app'), form })).json();
  const refresh = (token: unknown, more = {}): ReturnType<TestIdentity['call']> =>
    server.call('/oauth2/token', {
      headers: basic('app'),
      form: { grant_type: 'refresh_token', refresh_token: String(token), ...more },
    });
  const narrow = (await refresh(first['refresh_token'], { scope: 'a' })).json();
  assert.equal(narrow['scope'], 'a');
  const second = (await refresh(narrow['refresh_token'])).json();
  assert.equal(second['scope'], 'a b', 'the chain keeps what was granted first');
  assert.equal((await refresh(second['refresh_token'], { scope: 'c' })).json()['error'], 'invalid_scope');
  assert.deepEqual(await activity(server, [first['access_token'], second['access_token']]), [false, true]);
  server.clock.advance(60_000);
  assert.equal((await refresh(first['refresh_token'])).json()['error'], 'invalid_grant');
  assert.deepEqual(await activity(server, [second['access_token']]), [false], 'the theft ends what is alive');
  assert.equal((await refresh(second['refresh_token'])).status, 400);
});

test('renew_refresh_token = false gives the same refresh token with its old end', async () => {
  await using server = await startTestIdentity({
    toml: '[oauth.token_renewal]\nrenew_refresh_token = false\n[oauth.token_validation]\nrefresh_token_validity = 1000',
  });
  await server.client('app', { grantTypes: everyGrant });
  server.users.add({ name: 'ada', password: 'right' });
  const form = { grant_type: 'password', username: 'ada', password: 'right' };
  const { refresh_token: token } = (await server.call('/oauth2/token', { headers: basic('app'), form })).json();
  const refresh = { grant_type: 'refresh_token', refresh_token: String(token) };
  server.clock.advance(600_000);
  const again = (await server.call('/oauth2/token', { headers: basic('app'), form: refresh })).json();
  assert.equal(again['refresh_token'], token);
  server.clock.advance(600_000);
  const late = await server.call('/oauth2/token', { headers: basic('app'), form: refresh });
  assert.equal(late.json()['error_description'], 'Refresh token is expired.');
});

const verifier = 'a'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

test('authorization codes: once, for their client, with their address and verifier', async (context) => {
  await using server = await startTestIdentity();
  await server.client('app', { grantTypes: everyGrant });
  await server.client('other', { grantTypes: everyGrant });
  const subject = userSubject(server.users.add({ name: 'ada', password: 'right' }));
  const facts: CodeGrant = {
    clientId: 'app',
    subject,
    scopes: ['openid'],
    redirectUri: 'https://app/cb',
    challenge,
    challengeMethod: 'S256',
    nonce: 'n1',
    authenticatedAt: server.clock.now(),
    sessionId: 's1',
    requestedClaims: [],
    userInfoClaims: [],
    authentication: { methods: ['pwd'] },
  };
  const good = { redirect_uri: 'https://app/cb', code_verifier: verifier };
  const redeem = async (
    code: string,
    more: Readonly<Record<string, string>>,
    client = 'app',
  ): ReturnType<TestIdentity['call']> =>
    server.call('/oauth2/token', { headers: basic(client), form: { grant_type: 'authorization_code', code, ...more } });
  const make = (changes: Partial<CodeGrant> = {}): Promise<string> =>
    server.identity.services.codes.create(superTenant, { ...facts, ...changes });

  await context.test('good, then used again', async () => {
    const code = await make();
    const answer = await redeem(code, good);
    assert.equal(answer.status, 200, answer.text);
    const idToken = decodeJwt(String(answer.json()['id_token']));
    assert.equal(idToken['nonce'], 'n1');
    assert.equal(idToken['sid'], 's1');
    assert.equal((await redeem(code, good)).json()['error'], 'invalid_grant');
    assert.deepEqual(await activity(server, [answer.json()['access_token']]), [false]);
  });
  const rows: readonly (readonly [
    name: string,
    more: Record<string, string>,
    client: string,
    changes: Partial<CodeGrant>,
  ])[] = [
    ['another address', { ...good, redirect_uri: 'https://app/cb2' }, 'app', {}],
    ['no address', { code_verifier: verifier }, 'app', {}],
    ['another verifier', { ...good, code_verifier: 'b'.repeat(43) }, 'app', {}],
    ['no verifier', { redirect_uri: 'https://app/cb' }, 'app', {}],
    ['a verifier where no challenge was', good, 'app', { challenge: undefined, challengeMethod: undefined }],
    [
      'a short verifier that is the challenge',
      { ...good, code_verifier: 'x' },
      'app',
      { challenge: 'x', challengeMethod: 'plain' },
    ],
    ['another client', good, 'other', {}],
  ];
  for (const [name, more, client, changes] of rows) {
    await context.test(name, async () => {
      const code = await make(changes);
      const answer = await redeem(code, more, client);
      assert.equal(answer.status, 400);
      assert.equal(answer.json()['error'], 'invalid_grant');
      assert.equal((await redeem(code, good)).status, 400, 'a failed attempt uses the code up');
    });
  }
  await context.test('after its end', async () => {
    const code = await make();
    server.clock.advance(299_500);
    assert.equal((await redeem(code, good)).json()['error'], 'invalid_grant');
  });
  await context.test('of ten at the same time one succeeds', async () => {
    const code = await make();
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(code, good)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });
});

test('JWT access tokens follow RFC 9068', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { tokenType: 'JWT', audiences: ['https://api'] });
  const form = { grant_type: 'client_credentials', scope: 'read' };
  const answer = await server.call('/oauth2/token', { headers: basic('app'), form });
  const token = String(answer.json()['access_token']);
  assert.equal(decodeProtectedHeader(token).typ, 'at+jwt');
  const { iat = 0, exp = 0, jti, ...claims } = decodeJwt(token);
  assert.equal(exp - iat, 3600);
  assert.match(String(jti), /^[\da-f-]{36}$/);
  assert.deepEqual(claims, {
    iss: 'https://localhost:9443/oauth2/token',
    sub: 'app',
    aud: ['app', 'https://api'],
    azp: 'app',
    client_id: 'app',
    aut: 'APPLICATION',
    scope: 'read',
    nbf: iat,
  });
  assert.deepEqual(await activity(server, [token, `${token.slice(0, -6)}AAAAAA`]), [true, false]);
  const keys = (await server.call('/oauth2/jwks')).json()['keys'] as { kid: string; alg: string }[];
  assert.deepEqual(
    keys.map(({ kid }) => kid),
    [decodeProtectedHeader(token).kid],
  );
});

test('hashing keeps no value, encryption none that can be read', async (context) => {
  for (const [key, expected] of [
    ['enable_token_hashing', null],
    ['enable_token_encryption', 'encrypted'],
  ] as const) {
    await context.test(key, async () => {
      await using server = await startTestIdentity({
        toml: `[apim.oauth_config]\n${key} = true\n[encryption]\nkey = "some key"`,
      });
      await server.client('app');
      const form = { grant_type: 'client_credentials' };
      const ask = (): ReturnType<TestIdentity['call']> => server.call('/oauth2/token', { headers: basic('app'), form });
      const first = String((await ask()).json()['access_token']);
      const row = await server.database.get('SELECT access_value FROM mr_token');
      const stored = row?.['access_value'];
      assert.equal(expected === null ? stored : String(stored).includes(first), expected === null ? null : false);
      const again = String((await ask()).json()['access_token']);
      assert.equal(again === first, expected !== null, 'what is only a hash cannot be given again');
      assert.deepEqual(await activity(server, [again]), [true]);
    });
  }
  await assert.rejects(
    startTestIdentity({ toml: '[apim.oauth_config]\nenable_token_hashing = true\nenable_token_encryption = true' }),
    /choose one/,
  );
});

test('clients of another tenant are unknown below a tenant path', async () => {
  await using server = await startTestIdentity();
  await server.client('app');
  await server.client('theirs', { tenant: acme });
  const form = { grant_type: 'client_credentials' };
  const status = async (target: string, client: string): Promise<number> =>
    (await server.call(target, { headers: basic(client), form })).status;
  assert.equal(await status('/t/acme.com/oauth2/token', 'theirs'), 200);
  assert.equal(await status('/t/acme.com/oauth2/token', 'app'), 401);
  assert.equal(await status('/t/nobody.com/oauth2/token', 'app'), 404);
  const token = (await server.call('/oauth2/token', { headers: basic('theirs'), form })).json()['access_token'];
  const seen = await server.call('/oauth2/introspect', { headers: basic('theirs'), form: { token: String(token) } });
  assert.equal(seen.json()['active'], true);
});

test('role-based scopes go to users with a role', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { grantTypes: everyGrant });
  server.users.add({ name: 'ada', password: 'x', roles: ['Manager'] });
  server.users.add({ name: 'bob', password: 'x', roles: ['clerk'] });
  await server.identity.services.scopes.save(superTenant, {
    name: 'orders:approve',
    displayName: 'Approve orders',
    description: '',
    roles: ['manager'],
  });
  const ask = (username: string, scope: string): ReturnType<TestIdentity['call']> =>
    server.call('/oauth2/token', {
      headers: basic('app'),
      form: { grant_type: 'password', username, password: 'x', scope },
    });
  assert.equal((await ask('ada', 'orders:approve')).json()['scope'], 'orders:approve');
  assert.equal((await ask('bob', 'orders:approve')).json()['error'], 'invalid_scope');
  assert.equal((await ask('bob', 'device_1')).json()['scope'], 'device_1');
});

function raw(body: string): { headers: string[]; body: string } {
  return { headers: [...basic('app'), 'Content-Type', 'application/x-www-form-urlencoded'], body };
}

async function activity(server: TestIdentity, tokens: readonly unknown[]): Promise<boolean[]> {
  const answers = [];
  for (const token of tokens) {
    const form = { token: String(token) };
    const seen = await server.call('/oauth2/introspect', { headers: basic('app'), form });
    answers.push(seen.json()['active'] === true);
  }
  return answers;
}
