import assert from 'node:assert/strict';
import { basic, type TestIdentity } from '../../src/identity/test-identity.ts';
import { tokensOf, type Requirement } from './flows.ts';

const registration = '/api/identity/oauth2/dcr/v1.1/register';
const administrator = basic('root', 'right');
const shop = { client_name: 'shop', redirect_uris: ['https://shop.example/cb'], grant_types: ['authorization_code'] };

async function register(server: TestIdentity, more: object) {
  server.users.add({ name: 'root', password: 'right', roles: ['admin'] });
  const headers = [...administrator, 'Content-Type', 'application/json'];
  const body = JSON.stringify({ ...shop, ...more });
  const answer = await server.call(registration, { method: 'POST', headers, body });
  return { status: answer.status, json: answer.json() };
}

async function metadataOf(server: TestIdentity): Promise<Record<string, unknown>> {
  return (await server.call('/.well-known/openid-configuration')).json();
}

/** Extensions that are not offered: what the standards demand of a server without them. */
export const oauthUnsupported: readonly Requirement[] = [
  [
    'RFC 9449 5, 5.1: proofs of possession are not announced, tokens are Bearer, and none is promised to clients',
    async (server) => {
      assert.equal((await metadataOf(server))['dpop_signing_alg_values_supported'], undefined);
      assert.equal((await tokensOf(server))['token_type'], 'Bearer');
      const { status, json } = await register(server, { dpop_bound_access_tokens: true });
      assert.deepEqual([status, json['error']], [400, 'invalid_client_metadata']);
    },
  ],
  [
    'RFC 8705 3.3, 3.4: tokens bound to certificates are not announced, and none is promised to clients',
    async (server) => {
      assert.notEqual((await metadataOf(server))['tls_client_certificate_bound_access_tokens'], true);
      const { status } = await register(server, { tls_client_certificate_bound_access_tokens: true });
      assert.equal(status, 400);
    },
  ],
  [
    'OpenID Connect Core 8: every client sees the same subject, as is announced, and no other is promised',
    async (server) => {
      assert.deepEqual((await metadataOf(server))['subject_types_supported'], ['public']);
      const { status, json } = await register(server, { subject_type: 'pairwise' });
      assert.deepEqual([status, json['error']], [400, 'invalid_client_metadata']);
    },
  ],
  [
    'OpenID Connect Core 8.1: without pairwise subjects the address of a sector is not fetched',
    async (server) => {
      const more = { subject_type: 'public', sector_identifier_uri: 'https://nowhere.example/sector.json' };
      assert.equal((await register(server, more)).status, 201);
    },
  ],
  [
    'RFC 8414 3.1: the metadata of a tenant stand between host and path of its issuer, and name it',
    async (server) => {
      const path = '/t/acme.com/oauth2/token';
      const issuer = `https://localhost:9443${path}`;
      for (const name of ['oauth-authorization-server', 'openid-configuration']) {
        const appended = await server.call(`${path}/.well-known/${name}`);
        assert.deepEqual([appended.status, appended.json()['issuer']], [200, issuer], name);
      }
      const inserted = await server.call(`/.well-known/oauth-authorization-server${path}`);
      assert.equal(inserted.json()['issuer'], issuer);
      assert.equal((await server.call('/.well-known/oauth-authorization-server/t/no.one/oauth2/token')).status, 404);
    },
  ],
];
