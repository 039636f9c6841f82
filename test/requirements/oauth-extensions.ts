import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { authorizeUrl, callback, createTestBrowser } from '../../src/identity/test-browser.ts';
import { basic, headerOf, type TestAnswer, type TestIdentity } from '../../src/identity/test-identity.ts';
import { agreed, tokensOf, type Given, type Requirement } from './flows.ts';

const registration = '/api/identity/oauth2/dcr/v1.1/register';
const administrator = basic('root', 'right');
const shop = { client_name: 'shop', redirect_uris: ['https://shop.example/cb'], grant_types: ['authorization_code'] };
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const pushed = { response_type: 'code', redirect_uri: callback, scope: 'openid', state: 's' };

async function register(server: TestIdentity, metadata: unknown) {
  server.users.add({ name: 'root', password: 'right', roles: ['admin'] });
  const headers = [...administrator, 'Content-Type', 'application/json'];
  const answer = await server.call(registration, { method: 'POST', headers, body: JSON.stringify(metadata) });
  return { status: answer.status, json: answer.json() };
}

async function beginDevice(server: TestIdentity) {
  const answer = await server.call('/oauth2/device_authorize', { headers: basic('web'), form: { scope: 'openid' } });
  return { status: answer.status, json: answer.json() };
}

function pollDevice(server: TestIdentity, code: unknown, id = 'web'): Promise<TestAnswer> {
  const form = { grant_type: deviceGrant, device_code: String(code) };
  return server.call('/oauth2/token', { headers: basic(id), form });
}

function push(server: TestIdentity, more: Given = {}): Promise<TestAnswer> {
  return server.call('/oauth2/par', { headers: basic('web'), form: { ...pushed, ...more } });
}

/** Registration, metadata, devices and pushed requests. */
export const oauthExtensions: readonly Requirement[] = [
  [
    'RFC 8414 3: the metadata stand at the inserted path, with the issuer of the tokens',
    async (server) => {
      const inserted = await server.call('/.well-known/oauth-authorization-server/oauth2/token');
      const tokens = await tokensOf(server);
      assert.equal(decodeJwt(String(tokens['id_token'])).iss, inserted.json()['issuer']);
    },
  ],
  [
    'RFC 9126 5: pushed requests are announced',
    async (server) => {
      const metadata = (await server.call('/.well-known/openid-configuration')).json();
      assert.match(String(metadata['pushed_authorization_request_endpoint']), /\/oauth2\/par$/);
      assert.equal(metadata['require_pushed_authorization_requests'], false);
    },
  ],
  [
    'RFC 9207 2: answers and errors name the announced issuer',
    async (server) => {
      const metadata = (await server.call('/.well-known/openid-configuration')).json();
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ prompt: 'none' }));
      assert.equal(browser.returned()['iss'], metadata['issuer']);
      assert.equal((await agreed(server))['iss'], metadata['issuer']);
      assert.equal(metadata['authorization_response_iss_parameter_supported'], true);
    },
  ],
  [
    'RFC 7591 3.2.1: a client is registered with 201, and shown what it registered',
    async (server) => {
      const { status, json } = await register(server, shop);
      assert.equal(status, 201);
      assert.deepEqual([json['client_name'], json['redirect_uris']], [shop.client_name, shop.redirect_uris]);
      assert.deepEqual([typeof json['client_id'], typeof json['client_secret']], ['string', 'string']);
      assert.equal(json['client_secret_expires_at'], 0);
    },
  ],
  [
    'RFC 7591 2: metadata that nobody knows are ignored',
    async (server) => assert.equal((await register(server, { ...shop, colour: 'blue' })).status, 201),
  ],
  [
    'RFC 7591 3.2.2: what is wrong with metadata is named',
    async (server) => {
      const errorOfMetadata = async (metadata: unknown): Promise<unknown> =>
        (await register(server, metadata)).json['error'];
      assert.equal(await errorOfMetadata({ ...shop, redirect_uris: [] }), 'invalid_redirect_uri');
      assert.equal(await errorOfMetadata({ ...shop, redirect_uris: ['https://a/#b'] }), 'invalid_redirect_uri');
      assert.equal(await errorOfMetadata({ ...shop, grant_types: ['magic'] }), 'invalid_client_metadata');
    },
  ],
  [
    'RFC 7591 2: keys come with the metadata or from an address, and a client that proves itself by a key has one',
    async (server) => {
      const both = { ...shop, jwks: { keys: [] }, jwks_uri: 'https://shop.example/jwks' };
      for (const metadata of [both, { ...shop, token_endpoint_auth_method: 'private_key_jwt' }]) {
        const { status, json } = await register(server, metadata);
        assert.deepEqual([status, json['error']], [400, 'invalid_client_metadata']);
      }
    },
  ],
  [
    'RFC 7591 2.3, 3.2.2: a software statement is signed, by somebody who is trusted',
    async (server) => {
      const errorOfStatement = async (statement: string): Promise<unknown> =>
        (await register(server, { ...shop, software_statement: statement })).json['error'];
      assert.equal(await errorOfStatement('garbage'), 'invalid_software_statement');
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const jwt = new SignJWT({ iss: 'https://stranger.example', client_name: 'shop' });
      const statement = await jwt.setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
      assert.equal(await errorOfStatement(statement), 'unapproved_software_statement');
    },
  ],
  [
    'OpenID Connect Registration 2: an application of the web gets tokens over TLS only, a native one on its own machine',
    async (server) => {
      const web = { ...shop, application_type: 'web', grant_types: ['implicit'] };
      const native = { ...shop, application_type: 'native' };
      const refused = [
        { ...web, redirect_uris: ['http://localhost/cb'] },
        { ...web, redirect_uris: ['https://localhost/cb'] },
        native,
        { ...native, redirect_uris: ['http://shop.example/cb'] },
      ];
      for (const metadata of refused) {
        const { status, json } = await register(server, metadata);
        assert.deepEqual([status, json['error']], [400, 'invalid_redirect_uri'], JSON.stringify(metadata));
      }
      const mine = ['http://localhost:1234/cb', 'http://127.0.0.1/cb', 'com.example.shop:/cb'];
      assert.equal((await register(server, { ...native, redirect_uris: mine })).status, 201);
    },
  ],
  [
    'OpenID Connect Registration 2: addresses for the login and of the sector are https',
    async (server) => {
      for (const name of ['initiate_login_uri', 'sector_identifier_uri']) {
        assert.equal((await register(server, { ...shop, [name]: 'http://shop.example/x' })).status, 400, name);
      }
    },
  ],
  [
    'RFC 7592 2.1, 3: a client manages its registration at the address and with the token that it was given',
    async (server) => {
      const { json } = await register(server, shop);
      const path = String(json['registration_client_uri']).replace('https://localhost:9443', '');
      const bearer = ['Authorization', `Bearer ${String(json['registration_access_token'])}`];
      const seen = await server.call(path, { headers: bearer });
      assert.equal(seen.status, 200);
      for (const name of ['client_id', 'client_secret', 'registration_access_token', 'registration_client_uri']) {
        assert.equal(seen.json()[name], json[name], name);
      }
      const ofItself = basic(String(json['client_id']), String(json['client_secret']));
      for (const headers of [[], ofItself, ['Authorization', 'Bearer nothing']]) {
        assert.equal((await server.call(path, { headers })).status, 401);
      }
      const headers = [...bearer, 'Content-Type', 'application/json'];
      const body = JSON.stringify({ ...shop, client_id: 'another' });
      assert.equal((await server.call(path, { method: 'PUT', headers, body })).status, 400);
      assert.equal((await server.call(path, { method: 'DELETE', headers: bearer })).status, 204);
      assert.equal((await server.call(path, { headers: bearer })).status, 401);
    },
  ],
  [
    'RFC 7592 2.2, 2.3: registered metadata are replaced, and a client that was deleted is unknown',
    async (server) => {
      const { json } = await register(server, shop);
      const path = `${registration}/${String(json['client_id'])}`;
      const headers = [...administrator, 'Content-Type', 'application/json'];
      const body = JSON.stringify({ ...shop, client_name: 'other' });
      const put = await server.call(path, { method: 'PUT', headers, body });
      assert.deepEqual([put.status, put.json()['client_name']], [200, 'other']);
      assert.equal((await server.call(path, { method: 'DELETE', headers: administrator })).status, 204);
      assert.equal((await server.call(path, { headers: administrator })).status, 401);
    },
  ],
  [
    'RFC 8414 2: the metadata name what every server has to name, with addresses of the issuer',
    async (server) => {
      const metadata = (await server.call('/.well-known/oauth-authorization-server')).json();
      const issuer = new URL(String(metadata['issuer']));
      assert.deepEqual([issuer.protocol, issuer.search, issuer.hash], ['https:', '', '']);
      for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'response_types_supported']) {
        assert.ok(metadata[name], name);
      }
      assert.equal(new URL(String(metadata['token_endpoint'])).origin, issuer.origin);
    },
  ],
  [
    'RFC 8628 3.2: a device is told two codes, where to enter one, and until when',
    async (server) => {
      const { json } = await beginDevice(server);
      for (const name of ['device_code', 'user_code', 'verification_uri', 'expires_in', 'interval']) {
        assert.ok(json[name], name);
      }
      assert.match(String(json['verification_uri_complete']), new RegExp(String(json['user_code'])));
    },
  ],
  [
    'RFC 8628 3.5: a device that asks waits, slows down, and hears that its code has ended',
    async (server) => {
      const { json } = await beginDevice(server);
      const heard = async (seconds: number): Promise<unknown> => {
        server.clock.advance(seconds * 1000);
        return (await pollDevice(server, json['device_code'])).json()['error'];
      };
      assert.equal(await heard(5), 'authorization_pending');
      assert.equal(await heard(1), 'slow_down');
      assert.equal(await heard(9), 'slow_down', 'five seconds more from then on');
      assert.equal(await heard(600), 'expired_token');
    },
  ],
  [
    'RFC 8628 3.4: a device code is bound to its client, and unknown ones are no grant',
    async (server) => {
      const { json } = await beginDevice(server);
      await server.client('other', { grantTypes: [deviceGrant] });
      assert.equal((await pollDevice(server, json['device_code'], 'other')).json()['error'], 'invalid_grant');
      assert.equal((await pollDevice(server, 'nonsense')).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 9126 2.2: a request is pushed with 201 and a reference that ends soon',
    async (server) => {
      const answer = await push(server);
      const { request_uri: reference, expires_in: seconds } = answer.json();
      assert.equal(answer.status, 201);
      assert.match(String(reference), /^urn:ietf:params:oauth:par:request_uri:.{20,}$/);
      assert.ok(Number(seconds) > 0 && Number(seconds) <= 600);
      assert.match(headerOf(answer, 'Cache-Control') ?? '', /no-store/);
    },
  ],
  [
    'RFC 9126 2.1: a client authenticates to push, and pushes no reference',
    async (server) => {
      assert.equal((await server.call('/oauth2/par', { form: pushed })).status, 401);
      assert.equal((await push(server, { request_uri: 'urn:x' })).json()['error'], 'invalid_request');
    },
  ],
  [
    'RFC 9126 2.3: other methods are 405, too large a request is 413',
    async (server) => {
      assert.equal((await server.call('/oauth2/par')).status, 405);
      assert.equal((await push(server, { state: 'x'.repeat(300_000) })).status, 413);
    },
  ],
  [
    'RFC 9126 4: a reference is good once, for its client',
    async (server) => {
      const { request_uri: reference } = (await push(server)).json();
      const open = async (): Promise<string> => {
        const query = new URLSearchParams({ client_id: 'web', request_uri: String(reference) });
        const browser = createTestBrowser(server);
        await browser.open(`/oauth2/authorize?${query.toString()}`);
        return browser.place;
      };
      assert.match(await open(), /login\.do/);
      assert.match(await open(), /invalid_request_uri/);
    },
  ],
];
