import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import { basic, type TestAnswer, type TestIdentity } from '../../src/identity/test-identity.ts';
import { refresh, tokensOf, type Given, type Requirement } from './flows.ts';

function revoke(server: TestIdentity, form: Given): Promise<TestAnswer> {
  return server.call('/oauth2/revoke', { headers: basic('web'), form });
}

async function introspect(server: TestIdentity, token: unknown): Promise<Record<string, unknown>> {
  const form = { token: String(token) };
  return (await server.call('/oauth2/introspect', { headers: basic('web'), form })).json();
}

async function isActive(server: TestIdentity, token: unknown): Promise<unknown> {
  return (await introspect(server, token))['active'];
}

/** Revocation and introspection. */
export const oauthTokens: readonly Requirement[] = [
  [
    'RFC 7009 2: revocation takes POST alone',
    async (server) => assert.equal((await server.call('/oauth2/revoke?token=x')).status, 405),
  ],
  [
    'RFC 7009 2.1: a client authenticates, and revokes its own tokens alone',
    async (server) => {
      const { access_token: token } = await tokensOf(server);
      await server.client('other');
      const form = { token: String(token) };
      assert.equal((await server.call('/oauth2/revoke', { form })).status, 401);
      assert.equal((await server.call('/oauth2/revoke', { headers: basic('web', 'x'), form })).status, 401);
      const other = await server.call('/oauth2/revoke', { headers: basic('other'), form });
      assert.deepEqual([other.status, other.json()['error']], [400, 'unauthorized_client']);
      assert.equal(await isActive(server, token), true);
    },
  ],
  [
    'RFC 7009 2.1: the end of a refresh token is that of its access token',
    async (server) => {
      const { access_token: token, refresh_token: renewal } = await tokensOf(server);
      assert.equal((await revoke(server, { token: String(renewal) })).status, 200);
      assert.equal(await isActive(server, token), false);
      assert.equal((await refresh(server, renewal)).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 7009 2.1: a hint is no more than a hint',
    async (server) => {
      const { access_token: token } = await tokensOf(server);
      assert.equal((await revoke(server, { token: String(token), token_type_hint: 'refresh_token' })).status, 200);
      assert.equal(await isActive(server, token), false);
    },
  ],
  [
    'RFC 7009 2.2: what is not good any more, or never was, is answered with 200',
    async (server) => {
      const { access_token: token } = await tokensOf(server);
      for (const each of [token, token, 'nonsense', 'a.b.c']) {
        const answer = await revoke(server, { token: String(each) });
        assert.deepEqual([answer.status, answer.text], [200, '']);
      }
    },
  ],
  [
    'RFC 7009 2.2.1: without a token the request is invalid',
    async (server) => {
      const answer = await revoke(server, {});
      assert.deepEqual([answer.status, answer.json()['error']], [400, 'invalid_request']);
    },
  ],
  [
    'RFC 7662 2.1: who asks authenticates, by POST',
    async (server) => {
      const { access_token: token } = await tokensOf(server);
      const form = { token: String(token) };
      assert.equal((await server.call('/oauth2/introspect', { form })).status, 401);
      assert.equal((await server.call('/oauth2/introspect', { headers: basic('web', 'x'), form })).status, 401);
      assert.equal((await server.call(`/oauth2/introspect?token=${String(token)}`)).status, 405);
    },
  ],
  [
    'RFC 7662 2.2: an active token has its facts, with times in seconds',
    async (server) => {
      const { access_token: token } = await tokensOf(server);
      const { active, client_id: client, token_type: type, scope, iat, exp } = await introspect(server, token);
      assert.deepEqual([active, client, type, scope], [true, 'web', 'Bearer', 'openid']);
      assert.equal(iat, Math.floor(server.clock.now() / 1000));
      assert.equal(Number(exp) - iat, 3600);
    },
  ],
  [
    'RFC 7662 2.2: a signed token is shown with its own identifier, issuer, subject and every audience',
    async (server) => {
      await server.client('signed', { tokenType: 'JWT', audiences: ['https://api.example'] });
      const form = { grant_type: 'client_credentials' };
      const given = (await server.call('/oauth2/token', { headers: basic('signed'), form })).json();
      const claims = decodeJwt(String(given['access_token']));
      const shown = await introspect(server, given['access_token']);
      for (const name of ['jti', 'iss', 'sub', 'aud', 'iat', 'nbf', 'exp']) {
        assert.ok(claims[name] !== undefined, name);
        assert.deepEqual(shown[name], claims[name], name);
      }
      assert.deepEqual(shown['aud'], ['signed', 'https://api.example']);
    },
  ],
  [
    'RFC 7662 2.2: of what is not active nothing else is said',
    async (server) => {
      const { access_token: token, refresh_token: renewal } = await tokensOf(server);
      await revoke(server, { token: String(token) });
      for (const each of [token, renewal, 'nonsense', 'e30.e30.']) {
        assert.deepEqual(await introspect(server, each), { active: false });
      }
      const late = await tokensOf(server);
      server.clock.advance(3_600_000);
      assert.deepEqual(await introspect(server, late['access_token']), { active: false });
    },
  ],
  [
    'RFC 7662 2.3: without a token the request is invalid',
    async (server) => {
      const answer = await server.call('/oauth2/introspect', { headers: basic('web'), form: {} });
      assert.deepEqual([answer.status, answer.json()['error']], [400, 'invalid_request']);
    },
  ],
  [
    'RFC 7662 4: a token with a changed signature is not active',
    async (server) => {
      await server.client('signed', { tokenType: 'JWT' });
      const form = { grant_type: 'client_credentials' };
      const given = (await server.call('/oauth2/token', { headers: basic('signed'), form })).json();
      const token = String(given['access_token']);
      assert.equal(await isActive(server, token), true);
      assert.equal(await isActive(server, `${token.slice(0, -8)}AAAAAAAA`), false);
      const [head = '', , signature = ''] = token.split('.');
      const claims = Buffer.from(JSON.stringify({ ...decodeJwt(token), scope: 'admin' })).toString('base64url');
      assert.equal(await isActive(server, `${head}.${claims}.${signature}`), false);
    },
  ],
];
