import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeJwt, SignJWT, UnsecuredJWT, exportJWK, type JWTHeaderParameters } from 'jose';
import { createSelfSigned } from '#keystore';
import { acme, basic, startTestIdentity, type TestIdentity } from '../../test-identity.ts';
import { superTenant } from '../../tenants/tenant.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const endpoint = 'https://localhost:9443/oauth2/token';
const own = await createSelfSigned({ hostNames: ['idp.example'], days: 1 });
const key = createPrivateKey(own.privateKeyPem);
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });

interface ProviderFacts {
  readonly name?: string;
  readonly alias?: string;
  readonly more?: string;
  readonly certificate?: string;
  readonly enabled?: boolean;
}

function providerFile({
  name = 'partner',
  alias,
  more = '',
  certificate = own.certificatePem,
  enabled,
}: ProviderFacts) {
  return `<IdentityProvider><IdentityProviderName>${name}</IdentityProviderName>
    ${alias === undefined ? '' : `<Alias>${alias}</Alias>`}<IsEnabled>${String(enabled ?? true)}</IsEnabled>
    <Certificate>${certificate}</Certificate>${more}</IdentityProvider>`;
}

/** A home with the files of providers of the super tenant, removed at the end. */
function homeWith(files: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), 'millrace-providers-'));
  const folder = join(home, 'identity/identity-providers');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { home, folder, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

const secondsOf = (server: TestIdentity): number => Math.floor(server.clock.now() / 1000);

interface Signing {
  readonly header?: JWTHeaderParameters;
  readonly key?: Parameters<SignJWT['sign']>[0];
}

function sign(server: TestIdentity, claims: Readonly<Record<string, unknown>> = {}, signing: Signing = {}) {
  const now = secondsOf(server);
  const all = {
    iss: 'partner',
    sub: 'ada',
    aud: endpoint,
    iat: now,
    exp: now + 60,
    jti: crypto.randomUUID(),
    ...claims,
  };
  return new SignJWT(all).setProtectedHeader(signing.header ?? { alg: 'RS256' }).sign(signing.key ?? key);
}

async function exchange(server: TestIdentity, assertion: string, more: Readonly<Record<string, string>> = {}) {
  return server.call('/oauth2/token', { headers: basic('app'), form: { grant_type: grantType, assertion, ...more } });
}

async function withProvider(
  facts: ProviderFacts,
  use: (server: TestIdentity, folder: string) => Promise<void>,
  toml = '',
): Promise<void> {
  using files = homeWith({ 'partner.xml': providerFile(facts) });
  await using server = await startTestIdentity({ home: files.home, toml });
  await server.client('app', { grantTypes: [grantType, 'refresh_token'], tokenType: 'JWT' });
  await use(server, files.folder);
}

test('RFC 7523 §2.1: the assertion of an identity provider becomes a token of its user', async () => {
  await withProvider({}, async (server) => {
    const answer = await exchange(server, await sign(server), { scope: 'orders openid' });
    assert.equal(answer.status, 200, answer.text);
    const { access_token: token, refresh_token: refresh, id_token: id } = answer.json();
    assert.equal(decodeJwt(String(token)).sub, 'ada');
    assert.equal(decodeJwt(String(id)).sub, 'ada');
    assert.equal(typeof refresh, 'string');
    const row = await server.database.get('SELECT subject_type, identity_provider FROM mr_token');
    assert.deepEqual({ ...row }, { subject_type: 'federated', identity_provider: 'partner' });
  });
});

test('I10, RFC 7523 §3: assertions that are refused', async (context) => {
  await withProvider({}, async (server) => {
    const now = secondsOf(server);
    const hmac = new SignJWT({ iss: 'partner', sub: 'ada', aud: endpoint, exp: now + 60 }).setProtectedHeader({
      alg: 'HS256',
    });
    const rows: readonly (readonly [name: string, assertion: string])[] = [
      ['signed with another key', await sign(server, {}, { key: other.privateKey })],
      ['unsigned', new UnsecuredJWT({ iss: 'partner', sub: 'ada', aud: endpoint }).setExpirationTime('1m').encode()],
      ['HMAC with the certificate', await hmac.sign(Buffer.from(own.certificatePem))],
      ['an unknown issuer', await sign(server, { iss: 'nobody' })],
      ['no issuer', await sign(server, { iss: undefined })],
      ['no subject', await sign(server, { sub: undefined })],
      ['no audience', await sign(server, { aud: undefined })],
      ['another audience', await sign(server, { aud: 'https://localhost:9443' })],
      ['no end', await sign(server, { exp: undefined })],
      ['ended', await sign(server, { exp: now - 2 })],
      ['not yet good', await sign(server, { nbf: now + 60 })],
      ['made 31 minutes ago', await sign(server, { iat: now - 31 * 60 })],
      ['made tomorrow', await sign(server, { iat: now + 86_400, exp: now + 90_000 })],
      ['a critical header that nobody knows', await sign(server, {}, { header: { alg: 'RS256' } }).then(withCrit)],
      ['the key of its header', await sign(server, {}, await ownJwk())],
      ['no JWT', 'not.a.jwt'],
    ];
    for (const [name, assertion] of rows) {
      await context.test(name, async () => {
        const answer = await exchange(server, assertion);
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.json()['error'], 'invalid_grant');
      });
    }
    const missing = await server.call('/oauth2/token', { headers: basic('app'), form: { grant_type: grantType } });
    assert.equal(missing.json()['error'], 'invalid_request');
  });
});

/** An assertion whose header demands what is not known; its signature does not matter any more. */
function withCrit(token: string): string {
  const [, body, signature] = token.split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', crit: ['urn:x'], 'urn:x': 1 })).toString('base64url');
  return `${header}.${body}.${signature}`;
}

async function ownJwk(): Promise<Signing> {
  return { key: other.privateKey, header: { alg: 'RS256', jwk: await exportJWK(other.publicKey) } };
}

test('RFC 7523 §3: an assertion with a jti counts once', async () => {
  await withProvider({}, async (server) => {
    const assertion = await sign(server);
    assert.equal((await exchange(server, assertion)).status, 200);
    assert.equal((await exchange(server, assertion)).json()['error'], 'invalid_grant');
    const plain = await sign(server, { jti: undefined });
    assert.deepEqual([(await exchange(server, plain)).status, (await exchange(server, plain)).status], [200, 200]);
  });
});

test('the alias of the provider is the only audience', async () => {
  await withProvider({ alias: 'https://alias.example' }, async (server) => {
    assert.equal((await exchange(server, await sign(server, { aud: 'https://alias.example' }))).status, 200);
    assert.equal((await exchange(server, await sign(server))).status, 400);
  });
});

test('keys of jwksUri, issuers by idpIssuerName', async () => {
  const properties = [
    ['idpIssuerName', 'https://idp.example'],
    ['jwksUri', 'https://idp.example/jwks'],
  ];
  const more = `<IdpProperties>${properties
    .map(([name, value]) => `<Property><Name>${name}</Name><Value>${value}</Value></Property>`)
    .join('')}</IdpProperties>`;
  await withProvider({ more }, async (server) => {
    const jwk = { ...(await exportJWK(other.publicKey)), kid: 'k1' };
    server.published.set('https://idp.example/jwks', JSON.stringify({ keys: [jwk] }));
    const claims = { iss: 'https://idp.example' };
    const good = await sign(server, claims, { key: other.privateKey, header: { alg: 'PS256', kid: 'k1' } });
    assert.equal((await exchange(server, good)).status, 200);
    const ofCertificate = await sign(server, claims, { header: { alg: 'RS256', kid: 'k1' } });
    assert.equal((await exchange(server, ofCertificate)).status, 400, 'the certificate does not count beside jwksUri');
  });
});

test('of several certificates each is tried', async () => {
  const second = await createSelfSigned({ hostNames: ['idp2.example'], days: 1 });
  await withProvider({ certificate: own.certificatePem + second.certificatePem }, async (server) => {
    const secondKey = createPrivateKey(second.privateKeyPem);
    assert.equal((await exchange(server, await sign(server, {}, { key: secondKey }))).status, 200);
    assert.equal((await exchange(server, await sign(server))).status, 200);
    assert.equal((await exchange(server, await sign(server, {}, { key: other.privateKey }))).status, 400);
  });
});

test('a provider that is switched off, changed or faulty', async () => {
  await withProvider({ enabled: false }, async (server, folder) => {
    const status = async (): Promise<number> => {
      server.clock.advance(2000);
      return (await exchange(server, await sign(server))).status;
    };
    const write = (text: string, time: number): void => {
      const file = join(folder, 'partner.xml');
      writeFileSync(file, text);
      utimesSync(file, time, time);
    };
    assert.equal(await status(), 400);
    write(providerFile({}), 1000);
    assert.equal(await status(), 200);
    write('<IdentityProvider>', 2000);
    assert.equal(await status(), 200, 'what cannot be read leaves what was there');
    rmSync(join(folder, 'partner.xml'));
    assert.equal(await status(), 400);
  });
});

test('a provider belongs to its tenant unless it is shared', async () => {
  using files = homeWith({
    'partner.xml': providerFile({ alias: 'here' }),
    'shared.xml': providerFile({ name: 'SHARED_partner', alias: 'here' }),
  });
  await using server = await startTestIdentity({ home: files.home });
  await server.client('app', { grantTypes: [grantType], tenant: acme });
  assert.equal((await exchange(server, await sign(server, { aud: 'here' }))).status, 400);
  assert.equal((await exchange(server, await sign(server, { aud: 'here', iss: 'SHARED_partner' }))).status, 200);
});

test('claims are mapped, and taken over only as far as the configuration says', async (context) => {
  const more =
    '<ClaimConfig><RoleClaimURI>groups</RoleClaimURI><ClaimMappings><ClaimMapping><LocalClaim><ClaimUri>' +
    'http://wso2.org/claims/emailaddress</ClaimUri></LocalClaim><RemoteClaim><ClaimUri>mail</ClaimUri></RemoteClaim>' +
    '</ClaimMapping></ClaimMappings></ClaimConfig><PermissionAndRoleConfig><RoleMappings><RoleMapping>' +
    '<localRole>manager</localRole><remoteRole>boss</remoteRole></RoleMapping></RoleMappings></PermissionAndRoleConfig>';
  const given = { mail: 'ada@example.com', team: 'red', groups: ['boss', 'staff'], scope: 'all', client_id: 'x' };
  const rows: readonly (readonly [toml: string, expected: Readonly<Record<string, unknown>>])[] = [
    [
      '',
      { 'http://wso2.org/claims/emailaddress': 'ada@example.com', 'http://wso2.org/claims/role': ['manager', 'staff'] },
    ],
    ['enable_oidc_dialect = true', { email: 'ada@example.com', roles: ['manager', 'staff'] }],
    [
      'enable_oidc_dialect = true\nenable_unmapped_user_attributes = true',
      { email: 'ada@example.com', roles: ['manager', 'staff'], team: 'red' },
    ],
  ];
  for (const [toml, expected] of rows) {
    await context.test(toml, () =>
      withProvider(
        { more },
        async (server) => {
          const answer = (await exchange(server, await sign(server, given))).json();
          const claims = decodeJwt(String(answer['access_token']));
          const standard = ['iss', 'sub', 'aud', 'azp', 'client_id', 'aut', 'iat', 'nbf', 'exp', 'jti'];
          assert.equal(claims['client_id'], 'app');
          assert.deepEqual(
            Object.fromEntries(Object.entries(claims).filter(([name]) => !standard.includes(name))),
            expected,
          );
        },
        `[oauth.oidc.claims]\n${toml}`,
      ),
    );
  }
});

test('assertions of the server itself name users of its stores', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { grantTypes: [grantType] });
  const ada = server.users.add({ name: 'ada', password: 'right' });
  const { privateKey, id, algorithm } = await server.identity.keys.current(superTenant);
  const ofServer = (sub: string): Promise<string> =>
    sign(server, { iss: endpoint, sub }, { key: privateKey, header: { alg: algorithm, kid: id } });
  assert.equal((await exchange(server, await ofServer('ada'))).status, 200);
  assert.equal((await exchange(server, await ofServer(ada.id))).status, 200);
  assert.equal((await exchange(server, await ofServer('eve'))).json()['error'], 'invalid_grant');
  server.users.block(ada);
  assert.equal((await exchange(server, await ofServer('ada'))).json()['error'], 'invalid_grant');
});
