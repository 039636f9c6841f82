import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readChanges } from '#db';
import { createClients, newClient } from '../oauth/client-store.ts';
import { createProtection } from '../oauth/token-protection.ts';
import { startTestGround } from '../test-ground.ts';
import { acme, basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import { createTenants, tenantChangedTopic } from './tenant-store.ts';

const password = { grant_type: 'password', username: 'ann@acme.com', password: 'right' };

async function isActive(server: TestIdentity, token: unknown): Promise<unknown> {
  const form = { token: String(token) };
  return (await server.call('/oauth2/introspect', { headers: basic('asker'), form })).json()['active'];
}

function tokensFor(server: TestIdentity, form: Readonly<Record<string, string>>) {
  return server.call('/oauth2/token', { headers: basic('app'), form });
}

describe('a tenant that is stopped', () => {
  it('gets no tokens, at once and whatever is kept in memory of its clients', async () => {
    await using server = await startTestIdentity();
    await server.client('asker');
    await server.client('app', { tenant: acme, grantTypes: ['client_credentials'] });
    const form = { grant_type: 'client_credentials' };
    const first = await tokensFor(server, form);
    assert.equal(first.status, 200);
    assert.equal(await isActive(server, first.json()['access_token']), true);
    server.setTenantActive('acme.com', false);
    const refused = await tokensFor(server, form);
    assert.deepEqual([refused.status, refused.json()['error']], [401, 'invalid_client']);
    assert.equal(await isActive(server, first.json()['access_token']), false);
    server.setTenantActive('acme.com', true);
    assert.equal((await tokensFor(server, form)).status, 200);
  });

  it('has users whose tokens are good nowhere, and are not renewed', async () => {
    await using server = await startTestIdentity();
    await server.client('asker');
    await server.client('app', { isSaas: true, grantTypes: ['password', 'refresh_token'] });
    server.users.add({ name: 'ann', password: 'right', tenant: acme });
    const { access_token: access, refresh_token: refresh } = (await tokensFor(server, password)).json();
    assert.equal(await isActive(server, refresh), true);
    server.setTenantActive('acme.com', false);
    assert.deepEqual([await isActive(server, access), await isActive(server, refresh)], [false, false]);
    for (const form of [{ grant_type: 'refresh_token', refresh_token: String(refresh) }, password]) {
      const refused = await tokensFor(server, form);
      assert.deepEqual([refused.status, refused.json()['error']], [400, 'invalid_grant']);
    }
  });

  it('loses the tokens of its clients, and another node hears of it', async () => {
    await using ground = await startTestGround();
    const { administration, database, clock } = ground;
    const { tenants, clients, tokens } = administration;
    const nothing = async (): Promise<void> => {};
    const elsewhere = createTenants({ database, clock, prepare: nothing, stop: nothing, remove: nothing });
    const clientsElsewhere = createClients({
      database,
      clock,
      protection: createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined }),
      cacheTime: 900_000,
      tenantOf: (id) => elsewhere.byId(id),
      revokeAll: nothing,
    });
    const tenant = await tenants.create({
      domain: 'acme.com',
      adminName: 'boss',
      adminPassword: 'boss-password',
      email: 'b@acme.com',
    });
    const { client } = await clients.create(newClient({ id: 'app', tenant, name: 'app', owner: 'boss' }));
    const { accessToken } = await administration.issueFor(client, []);
    assert.equal((await clientsElsewhere.findAnywhere('app'))?.tenant.isActive, true);
    const before = (await readChanges(database, 0, 500)).length;
    await tenants.setActive('acme.com', false);
    assert.notEqual((await tokens.findPair(accessToken))?.record.state, 'ACTIVE');
    const changes = (await readChanges(database, 0, 500)).slice(before);
    assert.deepEqual(
      changes.map(({ topic }) => topic),
      [tenantChangedTopic, 'token.revoked'],
    );
    elsewhere.forget();
    assert.equal((await clientsElsewhere.findAnywhere('app'))?.tenant.isActive, false);
  });

  it('is not kept as working by a read that began before it was stopped', async () => {
    await using ground = await startTestGround();
    const { database, clock } = ground;
    await ground.administration.tenants.create({
      domain: 'acme.com',
      adminName: 'boss',
      adminPassword: 'boss-password',
      email: 'b@acme.com',
    });
    const nothing = async (): Promise<void> => {};
    const slow = {
      ...database,
      transaction: database.transaction.bind(database),
      async get(...query: Parameters<typeof database.get>) {
        const row = await database.get(...query);
        await stopped;
        return row;
      },
    };
    const tenants = createTenants({ database: slow, clock, prepare: nothing, stop: nothing, remove: nothing });
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const read = tenants.find('acme.com');
    await ground.administration.tenants.setActive('acme.com', false);
    tenants.forget();
    resolve();
    assert.equal((await read)?.isActive, true, 'it began before');
    assert.equal((await tenants.find('acme.com'))?.isActive, false);
  });
});
