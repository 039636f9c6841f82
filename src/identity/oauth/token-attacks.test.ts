import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, exportJWK, SignJWT } from 'jose';
import { authorizeUrl, callback, createTestBrowser, prepare, signedIn } from '../test-browser.ts';
import { acme, basic, headerOf, startTestIdentity, type TestAnswer, type TestIdentity } from '../test-identity.ts';

type Form = Readonly<Record<string, string>>;

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function start(toml = ''): Promise<TestIdentity> {
  const server = await startTestIdentity({ toml });
  await prepare(server);
  return server;
}

function token(server: TestIdentity, form: Form, id = 'web'): Promise<TestAnswer> {
  return server.call('/oauth2/token', { headers: basic(id), form });
}

async function signedInTokens(server: TestIdentity): Promise<Record<string, unknown>> {
  const browser = await signedIn(server, { scope: 'openid' });
  await browser.submit({ consent: 'approve' });
  const { code = '' } = browser.returned();
  return (await token(server, { grant_type: 'authorization_code', redirect_uri: callback, code })).json();
}

async function isActive(server: TestIdentity, value: unknown): Promise<unknown> {
  const answer = await server.call('/oauth2/introspect', { headers: basic('web'), form: { token: String(value) } });
  return answer.json()['active'];
}

function userInfo(server: TestIdentity, value: string): Promise<TestAnswer> {
  return server.call('/oauth2/userinfo', { headers: ['Authorization', `Bearer ${value}`] });
}

test('I9: a refresh token that was exchanged ends everything that came of it when it comes again', async () => {
  await using server = await start();
  const first = await signedInTokens(server);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(first['refresh_token']) };
  const second = (await token(server, refresh)).json();
  assert.equal(await isActive(server, second['access_token']), true);
  server.clock.advance(60_000);
  const again = await token(server, refresh);
  assert.deepEqual([again.status, again.json()['error']], [400, 'invalid_grant']);
  assert.equal(await isActive(server, second['access_token']), false);
  const thief = { grant_type: 'refresh_token', refresh_token: String(second['refresh_token']) };
  assert.equal((await token(server, thief)).json()['error'], 'invalid_grant');
});

test('I9: tokens of one client are of no use to another', async () => {
  await using server = await start();
  await server.client('other', { grantTypes: ['authorization_code', 'refresh_token'], redirectUris: [callback] });
  const tokens = await signedInTokens(server);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) };
  assert.equal((await token(server, refresh, 'other')).json()['error'], 'invalid_grant');
  const form = { token: String(tokens['access_token']) };
  const revoked = await server.call('/oauth2/revoke', { headers: basic('other'), form });
  assert.notEqual(revoked.status, 200);
  assert.equal(await isActive(server, tokens['access_token']), true, 'neither was it ended');
});

test('I9: secrets in the address are refused, wherever else they stand', async () => {
  await using server = await start();
  for (const name of ['client_secret', 'password', 'username', 'client_assertion']) {
    const form = { grant_type: 'client_credentials' };
    const answer = await server.call(`/oauth2/token?${name}=x`, { headers: basic('web'), form });
    assert.deepEqual([answer.status, answer.json()['error']], [400, 'invalid_request'], name);
  }
});

test('I9: tokens stand in the fragment alone, and a response mode that would show them to servers is refused', async () => {
  await using server = await start();
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ response_type: 'id_token', nonce: 'n', scope: 'openid', response_mode: 'query' }));
  assert.equal(browser.away?.searchParams.has('id_token'), false);
  assert.equal(browser.returned()['error'], 'invalid_request');
});

test('I9: every answer of the authorization endpoint names its issuer, errors too, so that servers cannot be mixed up', async () => {
  await using server = await start();
  const browser = createTestBrowser(server);
  for (const more of [{ prompt: 'none' }, { scope: 'openid', response_type: 'magic' }]) {
    await browser.open(authorizeUrl(more));
    const { iss, error } = browser.returned();
    assert.equal(iss, 'https://localhost:9443/oauth2/token', String(error));
  }
});

test('I10: access tokens that this server did not sign, or did not sign so, are refused', async (context) => {
  await using server = await start(
    '[oauth.extensions]\ntoken_generator = "org.wso2.carbon.identity.oauth2.token.JWTTokenIssuer"\n',
  );
  const good = String((await signedInTokens(server))['access_token']);
  assert.equal((await userInfo(server, good)).status, 200);
  const [, claims = '', signature = ''] = good.split('.');
  const header = decodeProtectedHeader(good);
  const published = (await server.call('/oauth2/jwks')).text;
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ownKey = await exportJWK(own.publicKey);
  const signed = (more: object): Promise<string> =>
    new SignJWT(decodeJwt(good)).setProtectedHeader({ ...header, alg: 'RS256', ...more }).sign(own.privateKey);
  const confused = `${part({ ...header, alg: 'HS256' })}.${claims}`;
  const longer = part({ ...decodeJwt(good), exp: 4_000_000_000, jti: crypto.randomUUID() });
  const rows: Readonly<Record<string, string>> = {
    'alg none': `${part({ ...header, alg: 'none' })}.${claims}.`,
    'alg none, the signature kept': `${part({ ...header, alg: 'none' })}.${claims}.${signature}`,
    'HMAC with what is published': `${confused}.${createHmac('sha256', published).update(confused).digest('base64url')}`,
    'claims exchanged': `${part(header)}.${longer}.${signature}`,
    'an empty signature': `${part(header)}.${claims}.`,
    'a key of its own in the header': await signed({ jwk: ownKey }),
    'the address of a key in the header': await signed({ jku: 'https://evil.example/jwks' }),
    'a certificate by address in the header': await signed({ x5u: 'https://evil.example/x5u' }),
    'a key id that is a path': await signed({ kid: '../../../dev/null' }),
    'a key id that is SQL': await signed({ kid: "x' UNION SELECT 'k" }),
    'another kind of token': await signed({ typ: 'JWT' }),
    'an encrypted token': `${part({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 1e9, zip: 'DEF' })}.AA.AA.AA.AA`,
  };
  for (const [name, value] of Object.entries(rows)) {
    await context.test(name, async () => {
      const answer = await userInfo(server, value);
      assert.equal(answer.status, 401, answer.text);
      assert.match(headerOf(answer, 'WWW-Authenticate') ?? '', /error="invalid_token"/);
      assert.equal(await isActive(server, value), false);
    });
  }
  await context.test('after its end', async () => {
    server.clock.advance(3_700_000);
    assert.equal((await userInfo(server, good)).status, 401);
    assert.equal(await isActive(server, good), false);
  });
});

test('I16: no secret stands in what is audited', async () => {
  await using server = await start();
  const tokens = await signedInTokens(server);
  await token(server, { grant_type: 'password', username: 'ada', password: 'canary-password-1', scope: 'openid' });
  await server.call('/oauth2/token', {
    headers: basic('web', 'canary-secret-2'),
    form: { grant_type: 'client_credentials' },
  });
  const text = JSON.stringify(server.audited);
  assert.ok(server.audited.length > 0);
  for (const secret of ['canary-password-1', 'canary-secret-2', 'secret-web', '"right']) {
    assert.equal(text.includes(secret), false, secret);
  }
  for (const name of ['access_token', 'refresh_token', 'id_token']) {
    assert.equal(text.includes(String(tokens[name])), false, name);
  }
});

test('I17: an unknown client, a wrong secret and a client of another tenant get the same answer', async () => {
  await using server = await start();
  await server.client('foreign', { tenant: acme });
  const answers: string[] = [];
  for (const [id, path] of [
    ['nobody', ''],
    ['web', ''],
    ['foreign', '/t/acme.com'],
  ] as const) {
    const headers = basic(id, 'wrong');
    const answer = await server.call(`${path}/oauth2/token`, { headers, form: { grant_type: 'client_credentials' } });
    answers.push(`${answer.status} ${answer.text}`);
  }
  assert.equal(new Set(answers).size, 1, answers.join('\n'));
  assert.match(answers[0] ?? '', /^401 /);
});
