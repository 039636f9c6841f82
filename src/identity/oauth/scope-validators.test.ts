import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import { superTenant } from '../tenants/tenant.ts';
import { createScopeValidators, roleBasedValidator } from './scope-validators.ts';

const home = join(import.meta.dirname, '../../../test/fixtures/identity');
const classes = { 'com.acme.Hours': './scope-validator.ts#hours', 'com.acme.None': './scope-validator.ts#noValidator' };
const toml = `[millrace.class_map]\n"com.acme.Hours" = "./scope-validator.ts#hours"\n`;

async function start(): Promise<TestIdentity> {
  const server = await startTestIdentity({ toml, home });
  for (const [name, roles] of [
    ['orders', ['clerk']],
    ['internal_own', ['clerk']],
  ] as const) {
    await server.identity.services.scopes.save(superTenant, { name, displayName: name, description: '', roles });
  }
  server.users.add({ name: 'ada', password: 'right' });
  return server;
}

async function ask(server: TestIdentity, id: string, scope: string): Promise<unknown> {
  const form = { grant_type: 'password', username: 'ada', password: 'right', scope };
  const answer = (await server.call('/oauth2/token', { headers: basic(id), form })).json();
  return answer['error'] ?? answer['scope'];
}

test('a client without validators, or with the built-in one, needs the roles of registered scopes', async () => {
  await using server = await start();
  await server.client('plain', { grantTypes: ['password'] });
  await server.client('named', { grantTypes: ['password'], scopeValidators: [roleBasedValidator] });
  for (const id of ['plain', 'named']) {
    assert.equal(await ask(server, id, 'orders'), 'invalid_scope');
    assert.equal(await ask(server, id, 'other'), 'other');
  }
});

test('a validator of the class map decides, in place of the built-in one or beside it', async () => {
  await using server = await start();
  const both = [roleBasedValidator, 'com.acme.Hours'];
  await server.client('day', { grantTypes: ['password'], scopeValidators: ['com.acme.Hours'] });
  await server.client('shift', { grantTypes: ['password'], scopeValidators: ['com.acme.Hours'] });
  await server.client('both', { grantTypes: ['password'], scopeValidators: both });
  assert.equal(await ask(server, 'day', 'orders'), 'orders', 'roles do not count');
  assert.equal(await ask(server, 'day', 'orders night'), 'invalid_scope');
  assert.equal(await ask(server, 'shift', 'night'), 'night');
  assert.equal(await ask(server, 'both', 'orders'), 'invalid_scope');
  assert.equal(await ask(server, 'both', 'night'), 'invalid_scope');
  assert.equal(await ask(server, 'both', 'other'), 'other');
});

test('no validator opens administration: its scopes need their roles', async () => {
  await using server = await start();
  await server.client('day', { grantTypes: ['password'], scopeValidators: ['com.acme.Hours'] });
  assert.equal(await ask(server, 'day', 'internal_own'), 'invalid_scope');
});

test('a client whose validator is gone gets no scopes', async () => {
  await using server = await start();
  await server.client('app', { grantTypes: ['password'], scopeValidators: ['com.acme.Gone'] });
  assert.equal(await ask(server, 'app', 'other'), 'server_error');
});

test('clients may be given the built-in validator and modules that validate', () => {
  const validators = createScopeValidators({ directory: home, classMap: classes });
  validators.check([roleBasedValidator, 'com.acme.Hours']);
  for (const name of ['com.acme.None', 'com.acme.Gone', './scope-validator.ts#hours', 'toString']) {
    assert.throws(() => validators.check([name]), { code: 'MR_SCOPE_VALIDATOR', status: 400 }, name);
  }
});
