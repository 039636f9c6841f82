import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendChange } from '#db';
import { superTenant } from '../tenants/tenant.ts';
import { basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import { clientChangedTopic } from './client-store.ts';
import { openRevocations, type Revocation } from './revocations.ts';
import { createScopes } from './scopes.ts';

const json = ['Content-Type', 'application/json'] as const;

async function withAdmin(use: (server: TestIdentity) => Promise<void>): Promise<void> {
  await using server = await startTestIdentity();
  server.users.add({ name: 'admin', password: 'right', roles: ['admin'] });
  server.users.add({ name: 'ada', password: 'right' });
  await use(server);
}

const scopesPath = '/api/identity/oauth2/v1.0/scopes';

test('scopes are made, shown, changed and removed over their API', async () => {
  await withAdmin(async (server) => {
    const headers = [...basic('admin', 'right'), ...json];
    const scope = { name: 'orders', displayName: 'Orders', description: 'of the shop', bindings: ['buyer'] };
    const call = (method: string, path: string, body?: unknown) =>
      server.call(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    assert.equal((await call('POST', scopesPath, scope)).status, 201);
    assert.equal((await call('POST', scopesPath, scope)).json()['code'], '41004');
    assert.deepEqual((await call('GET', `${scopesPath}/name/orders`)).json(), scope);
    assert.deepEqual((await call('GET', scopesPath)).json(), [scope]);
    assert.deepEqual((await call('GET', `${scopesPath}?startIndex=2`)).json(), []);
    const changed = await call('PUT', `${scopesPath}/name/orders`, { displayName: 'All orders', bindings: [] });
    assert.deepEqual(changed.json(), { name: 'orders', displayName: 'All orders', description: '', bindings: [] });
    assert.equal((await call('DELETE', `${scopesPath}/name/orders`)).status, 200);
    assert.equal((await call('GET', `${scopesPath}/name/orders`)).json()['code'], '41003');
    for (const wrong of [
      {},
      { name: 'a b', displayName: 'x' },
      { name: 'a' },
      { name: 'a', displayName: 'x', bindings: 1 },
    ]) {
      assert.equal((await call('POST', scopesPath, wrong)).status, 400);
    }
  });
});

test('scopes are for administrators', async () => {
  await withAdmin(async (server) => {
    assert.equal((await server.call(scopesPath)).status, 401);
    assert.equal((await server.call(scopesPath, { headers: basic('ada', 'right') })).status, 403);
    assert.equal(
      (await server.call(`/t/acme.com${scopesPath}`, { headers: basic('admin@carbon.super', 'right') })).status,
      403,
    );
  });
});

test('the older registration makes a client, and gives it again', async () => {
  await withAdmin(async (server) => {
    const path = '/client-registration/v0.17/register';
    const body = JSON.stringify({
      callbackUrl: 'https://shop.example/cb',
      clientName: 'rest_api_admin',
      grantType: 'password refresh_token unknown',
      saasApp: true,
    });
    const call = () => server.call(path, { method: 'POST', headers: [...basic('admin', 'right'), ...json], body });
    const first = (await call()).json();
    assert.equal(first['clientName'], 'rest_api_admin');
    assert.equal(first['isSaasApplication'], true);
    assert.equal(first['appOwner'], 'admin');
    assert.deepEqual(JSON.parse(String(first['jsonString'])), {
      grant_types: 'password refresh_token',
      redirect_uris: 'https://shop.example/cb',
    });
    assert.deepEqual((await call()).json(), first);
    const { clientId, clientSecret } = first;
    const form = { grant_type: 'password', username: 'ada', password: 'right' };
    const headers = basic(String(clientId), String(clientSecret));
    assert.equal((await server.call('/oauth2/token', { headers, form })).status, 200);
    assert.equal((await server.call(path, { method: 'POST', headers: [...json], body })).status, 401);
  });
});

test('what another node changes of clients and scopes is forgotten here', async () => {
  await withAdmin(async (server) => {
    const { database, clock, identity } = server;
    const client = await server.client('app');
    const scope = { name: 'orders', displayName: 'Orders', description: '', roles: ['nobody'] };
    const form = { grant_type: 'client_credentials', scope: 'orders' };
    const status = async (): Promise<number> =>
      (await server.call('/oauth2/token', { headers: basic('app'), form })).status;
    assert.equal(await status(), 200);
    const other = createScopes({
      database,
      clock,
      cacheTime: 60_000,
      users: server.users,
      isAllowed: () => false,
      defaults: [],
      validators: identity.services.scopes.validators,
      adminRole: 'admin',
    });
    await using reader = await openRevocations({
      database,
      clock,
      interval: 1000,
      receive: () => undefined,
      changed: identity.changed,
    });
    await other.save(superTenant, scope);
    assert.equal(await status(), 200, 'before the log was read');
    await reader.poll();
    assert.equal(await status(), 400);
    await database.transaction(async (transaction) => {
      await transaction.run('DELETE FROM mr_client WHERE id = ?', [client.id]);
      const change = { tenant: 'carbon.super', topic: clientChangedTopic, key: client.id, payload: null };
      await appendChange(transaction, change, clock);
    });
    await reader.poll();
    assert.equal(await status(), 401);
  });
});

test('revocations are read from the change log, each once', async () => {
  await withAdmin(async (server) => {
    await server.client('app');
    const heard: Revocation[] = [];
    const { database, clock } = server;
    await using reader = await openRevocations({
      database,
      clock,
      interval: 1000,
      receive: (each) => heard.push(each),
    });
    const form = { grant_type: 'client_credentials' };
    const token = String((await server.call('/oauth2/token', { headers: basic('app'), form })).json()['access_token']);
    assert.equal(await reader.poll(), 0);
    await server.call('/oauth2/revoke', { headers: basic('app'), form: { token } });
    assert.equal(await reader.poll(), 1);
    assert.equal(await reader.poll(), 0);
    assert.equal(heard.length, 1);
    assert.equal(heard[0]?.clientId, 'app');
    assert.equal(heard[0]?.form, 'opaque');
    assert.ok(!heard[0]?.key.includes(token), 'nobody can use what others are told');
  });
});
