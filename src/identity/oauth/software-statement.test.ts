import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { createSelfSigned } from '#keystore';
import { superTenant } from '../tenants/tenant.ts';
import { acme, basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';

const path = '/api/identity/oauth2/dcr/v1.1/register';
const own = await createSelfSigned({ hostNames: ['publisher.example'], days: 1 });
const key = createPrivateKey(own.privateKeyPem);
const vouched = { client_name: 'Reader', redirect_uris: ['https://reader.example/cb'], software_id: 'reader' };

function homeWith(): { readonly home: string } & Disposable {
  const home = mkdtempSync(join(tmpdir(), 'millrace-statements-'));
  const folder = join(home, 'identity/identity-providers');
  mkdirSync(folder, { recursive: true });
  const text = `<IdentityProvider><IdentityProviderName>publisher</IdentityProviderName>
    <Certificate>${own.certificatePem}</Certificate></IdentityProvider>`;
  writeFileSync(join(folder, 'publisher.xml'), text);
  return { home, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

function sign(claims: object, by: Parameters<SignJWT['sign']>[0] = key): Promise<string> {
  return new SignJWT({ iss: 'publisher', ...claims }).setProtectedHeader({ alg: 'RS256' }).sign(by);
}

async function start(home: string): Promise<TestIdentity> {
  const server = await startTestIdentity({ home });
  server.users.add({ name: 'admin', password: 'secret-admin', roles: ['admin'] });
  server.users.add({ name: 'admin', password: 'secret-theirs', roles: ['admin'], tenant: acme });
  return server;
}

async function register(server: TestIdentity, body: object, target = path, headers = basic('admin')) {
  const all = [...headers, 'Content-Type', 'application/json'];
  const answer = await server.call(target, { method: 'POST', headers: all, body: JSON.stringify(body) });
  return { status: answer.status, json: answer.json() };
}

test('what a statement vouches for wins, and the statement is given back', async () => {
  using ground = homeWith();
  await using server = await start(ground.home);
  const statement = await sign({ ...vouched, ext_application_owner: 'mallory', jti: 'x' });
  const body = { client_name: 'Fake', redirect_uris: ['https://fake.example/cb'], software_statement: statement };
  const { status, json } = await register(server, body);
  assert.equal(status, 201, JSON.stringify(json));
  for (const [name, value] of Object.entries(vouched)) assert.deepEqual(json[name], value, name);
  assert.equal(json['software_statement'], statement);
  assert.deepEqual([json['ext_application_owner'], json['iss'], json['jti']], ['admin', undefined, undefined]);
});

test('statements that do not hold, and those of nobody known', async () => {
  using ground = homeWith();
  await using server = await start(ground.home);
  const now = Math.floor(server.clock.now() / 1000);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const error = async (statement: string, ...where: [target?: string, headers?: string[]]): Promise<unknown> =>
    (await register(server, { ...vouched, software_statement: statement }, ...where)).json['error'];
  assert.equal(await error('not a JWT'), 'invalid_software_statement');
  assert.equal(await error(await sign(vouched, privateKey)), 'invalid_software_statement');
  assert.equal(await error(await sign({ ...vouched, exp: now - 1 })), 'invalid_software_statement');
  const unsigned = new UnsecuredJWT({ ...vouched, iss: 'publisher' }).encode();
  assert.equal(await error(unsigned), 'invalid_software_statement');
  assert.equal(await error(await sign({ iss: undefined })), 'invalid_software_statement');
  assert.equal(await error(await sign({ iss: 'stranger' })), 'unapproved_software_statement');
  const theirs = basic('admin@acme.com', 'secret-theirs');
  const good = await sign(vouched);
  assert.equal(await error(good, `/t/acme.com${path}`, theirs), 'unapproved_software_statement');
  const ofOurs = await server.identity.keys.current(superTenant);
  const ours = await sign({ iss: 'https://localhost:9443/oauth2/token' }, ofOurs.privateKey);
  assert.equal(await error(ours), 'unapproved_software_statement');
  assert.equal(await error(good), undefined);
});
