import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import { registrationPath } from './registration.ts';
import { scopesPath } from './scope-endpoints.ts';

const admin = basic('admin', 'admin-password');
const json: string[] = ['Content-Type', 'application/json'];

async function startServer(): Promise<TestIdentity> {
  const server = await startTestIdentity();
  server.users.add({ name: 'admin', password: 'admin-password', roles: ['admin'] });
  server.users.add({ name: 'ada', password: 'right' });
  await server.client('app', { grantTypes: ['password', 'client_credentials'] });
  await server.client('open', { grantTypes: ['password'], isPublic: true });
  return server;
}

const lines = (server: TestIdentity): readonly string[] =>
  server.audited.map(({ actor, action, target, outcome }) => `${actor} ${action} ${target} ${outcome}`);

test('registration of clients and scopes is audited, with who, what and how it ended', async () => {
  await using server = await startServer();
  const body = JSON.stringify({ client_name: 'shop', grant_types: ['client_credentials'] });
  const made = await server.call(registrationPath, { headers: [...admin, ...json], body });
  assert.equal(made.status, 201, made.text);
  const id = String(made.json()['client_id']);
  await server.call(`${registrationPath}/${id}`, { method: 'DELETE', headers: admin });
  await server.call(registrationPath, { headers: [...admin, ...json], body: '{}' });
  await server.call(registrationPath, { headers: [...basic('ada', 'right'), ...json], body });
  await server.call(registrationPath, { headers: json, body });
  const scope = JSON.stringify({ name: 'read', displayName: 'Read' });
  await server.call(scopesPath, { headers: [...admin, ...json], body: scope });
  assert.deepEqual(lines(server), [
    `admin created ${registrationPath} success`,
    `admin deleted ${registrationPath}/${id} success`,
    `admin created ${registrationPath} failure`,
    `ada created ${registrationPath} failure`,
    `anonymous created ${registrationPath} failure`,
    `admin created ${scopesPath} success`,
  ]);
  assert.equal(server.audited[0]?.detail?.['address'], '127.0.0.1');
  assert.doesNotMatch(JSON.stringify(server.audited), /admin-password|right|client_secret/);
});

test('reading is not audited', async () => {
  await using server = await startServer();
  await server.call(`${registrationPath}?client_name=app`, { headers: admin });
  assert.deepEqual(lines(server), []);
});

test('sign-ins and revocations are audited', async () => {
  await using server = await startServer();
  const ask = (password: string) =>
    server.call('/oauth2/token', {
      headers: basic('app'),
      form: { grant_type: 'password', username: 'ada', password },
    });
  await ask('wrong');
  const token = String((await ask('right')).json()['access_token']);
  await server.client('other', { grantTypes: ['client_credentials'] });
  await server.call('/oauth2/revoke', { headers: basic('other'), form: { token } });
  await server.call('/oauth2/revoke', { headers: basic('app'), form: { token } });
  assert.deepEqual(lines(server), [
    'ada login user failure',
    'ada login user success',
    'other revoked token of app failure',
    'app revoked token of app success',
  ]);
  assert.ok(!JSON.stringify(server.audited).includes(token));
});

for (const name of ['ada', 'nobody']) {
  test(`I17: guessing the password of ${name} by the grant gets slower, as at the login page`, async () => {
    await using server = await startServer();
    const ask = (username: string, password: string) =>
      server.call('/oauth2/token', { headers: basic('app'), form: { grant_type: 'password', username, password } });
    for (let times = 0; times < 3; times++) assert.equal((await ask(name, 'wrong')).status, 400);
    const slowed = await ask(name, 'right');
    assert.equal(slowed.status, 429, slowed.text);
    assert.equal(slowed.json()['error'], 'invalid_grant');
    server.clock.advance(2000);
    assert.equal((await ask(name, 'right')).status, name === 'ada' ? 200 : 400);
  });
}

test('one client’s users do not slow each other down behind its server; behind a public client they do', async () => {
  await using server = await startServer();
  const ask = (username: string, headers: string[], more: Readonly<Record<string, string>>) =>
    server.call('/oauth2/token', { headers, form: { grant_type: 'password', username, password: 'wrong', ...more } });
  for (let user = 0; user < 30; user++) assert.equal((await ask(`u${user}`, basic('app'), {})).status, 400);
  const statuses: number[] = [];
  for (let user = 0; user < 30; user++) statuses.push((await ask(`v${user}`, [], { client_id: 'open' })).status);
  assert.equal(statuses[0], 400);
  assert.equal(statuses.at(-1), 429);
});
