import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { callback, createTestBrowser, type TestBrowser } from '../../src/identity/test-browser.ts';
import { basic, type TestIdentity } from '../../src/identity/test-identity.ts';
import type { Requirement } from './flows.ts';

const wanted = { client_id: 'signer', response_type: 'code', redirect_uri: callback, scope: 'openid', state: 'inside' };

/** A client `signer` with a key, and what signs with it. */
async function withSigner(server: TestIdentity): Promise<(claims: object, key?: KeyObject) => Promise<string>> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)) }] };
  await server.client('signer', { grantTypes: ['authorization_code'], redirectUris: [callback], jwks });
  return (claims, key = privateKey) =>
    new SignJWT({ iss: 'signer', ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(key);
}

async function open(server: TestIdentity, given: Readonly<Record<string, string>>): Promise<TestBrowser> {
  const browser = createTestBrowser(server);
  return browser.open(`/oauth2/authorize?${new URLSearchParams({ client_id: 'signer', ...given }).toString()}`);
}

/** Requests that their clients have signed. */
export const oauthSignedRequests: readonly Requirement[] = [
  [
    'RFC 9101 5, 6.3: of a signed request the parameters of the object count, and no others',
    async (server) => {
      const sign = await withSigner(server);
      const request = await sign({ ...wanted, prompt: 'none' });
      const browser = await open(server, { request, state: 'outside', prompt: 'login' });
      const { error, state } = browser.returned();
      assert.deepEqual([error, state], ['login_required', 'inside']);
    },
  ],
  [
    'RFC 9101 4, 6.2: what is unsigned, or signed with a key of somebody else, is refused',
    async (server) => {
      const sign = await withSigner(server);
      const { privateKey: stranger } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      for (const request of [new UnsecuredJWT(wanted).encode(), await sign(wanted, stranger), 'e30.e30.']) {
        const { place } = await open(server, { request });
        assert.match(place, /oauthErrorCode=invalid_request_object/);
      }
    },
  ],
  [
    'RFC 9101 4, 5: the client is the same outside and inside, and no request holds another one',
    async (server) => {
      const sign = await withSigner(server);
      const wrong = [{ client_id: 'web' }, { client_id: undefined }, { request: 'x' }, { request_uri: 'urn:x' }];
      for (const claims of wrong) {
        const { place } = await open(server, { request: await sign({ ...wanted, ...claims }) });
        assert.match(place, /oauthErrorCode=invalid_request_object/, JSON.stringify(claims));
      }
      const both = await open(server, { request: await sign(wanted), request_uri: 'urn:x', redirect_uri: callback });
      assert.equal(both.returned()['error'], 'invalid_request');
    },
  ],
  [
    'RFC 9101 6.3: an address that is not registered hears nothing, signed or not',
    async (server) => {
      const sign = await withSigner(server);
      const { place } = await open(server, {
        request: await sign({ ...wanted, redirect_uri: 'https://evil.example' }),
      });
      assert.match(place, /oauthErrorCode=invalid_callback/);
    },
  ],
  [
    'RFC 9101 9, 10.5: signed requests are announced with their algorithms, and a client can bind itself to them',
    async (server) => {
      const metadata = (await server.call('/.well-known/openid-configuration')).json();
      assert.equal(metadata['request_parameter_supported'], true);
      const algorithms = metadata['request_object_signing_alg_values_supported'] as readonly string[];
      assert.ok(algorithms.includes('RS256') && !algorithms.includes('none'));
      await withSigner(server);
      const client = await server.identity.clients.findAnywhere('signer');
      assert.ok(client);
      await server.identity.clients.update({ ...client, requiresSignedRequests: true });
      const { request_uri: reference, error } = (
        await server.call('/oauth2/par', { headers: basic('signer'), form: wanted })
      ).json();
      assert.deepEqual([reference, error], [undefined, 'invalid_request']);
      const browser = await open(server, wanted);
      assert.equal(browser.returned()['error'], 'invalid_request');
    },
  ],
];
