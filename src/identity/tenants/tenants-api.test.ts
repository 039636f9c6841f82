import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestGround } from '../test-ground.ts';
import { superTenant } from './tenant.ts';

const acme = {
  domain: 'Acme.com',
  owners: [{ username: 'boss@acme.com', password: 'boss-password', email: 'b@acme.com' }],
};
const path = '/api/server/v1/tenants';

describe('the administration of tenants', () => {
  it('makes a tenant with its administrator and key, stops it and removes all of it', async () => {
    await using ground = await startTestGround();
    const { users, tenants, keys } = ground.administration;
    const made = await ground.call(`POST ${path}`, acme);
    assert.equal(made.status, 201, made.text);
    const id = String(made.json['id']);
    const tenant = await tenants.find('acme.com');
    assert.ok(tenant);
    const boss = await users.find(tenant, 'boss');
    assert.ok(boss);
    assert.ok((await users.roles(boss)).includes('admin'));
    assert.notEqual((await keys.current(tenant)).id, (await keys.current(superTenant)).id);
    assert.equal((await ground.call(`GET ${path}`)).json['totalResults'], 1);
    assert.equal((await ground.call(`GET ${path}/domain/acme.com`)).json['id'], id);
    const stopped = await ground.call(`PUT ${path}/${id}/lifecycle-status`, { activated: false });
    assert.deepEqual(stopped.json['lifecycleStatus'], { activated: false });
    const below = ['GET /t/acme.com/scim2/Users', undefined, 'boss@acme.com:boss-password'] as const;
    assert.equal((await ground.call(...below)).status, 403);
    assert.equal((await ground.call(`DELETE ${path}/${id}`)).status, 204);
    assert.equal((await ground.call(...below)).status, 404);
    assert.equal(await ground.database.get('SELECT id FROM mr_user WHERE tenant = ?', [tenant.id]), undefined);
    assert.equal(await ground.database.get('SELECT id FROM mr_signing_key WHERE tenant = ?', [tenant.id]), undefined);
  });

  it('leaves nothing behind when the administrator cannot be made', async () => {
    await using ground = await startTestGround();
    const weak = { domain: 'weak.com', owners: [{ username: 'boss', password: 'x', email: 'b@weak.com' }] };
    assert.equal((await ground.call(`POST ${path}`, weak)).status, 400);
    assert.equal((await ground.call(`GET ${path}`)).json['totalResults'], 0);
    assert.equal((await ground.call(`POST ${path}`, { ...acme, domain: 'nodot' })).status, 400);
    assert.equal((await ground.call(`POST ${path}`, acme)).status, 201);
    assert.equal((await ground.call(`POST ${path}`, acme)).status, 409);
  });

  it('belongs to administrators of the super tenant alone', async () => {
    await using ground = await startTestGround();
    await ground.call(`POST ${path}`, acme);
    await ground.administration.users.create(superTenant, { name: 'plain', password: 'long-enough' });
    assert.equal((await ground.call(`GET ${path}`, undefined, '')).status, 401);
    assert.equal((await ground.call(`GET ${path}`, undefined, 'plain:long-enough')).status, 403);
    assert.equal((await ground.call(`GET /t/acme.com${path}`, undefined, 'boss@acme.com:boss-password')).status, 403);
  });

  it('nobody sees a tenant whose making was cut off, and it can be made anew', async () => {
    await using ground = await startTestGround();
    const { tenants } = ground.administration;
    // What a process leaves that ends between the first step and the last.
    await ground.database.run(
      "INSERT INTO mr_tenant (domain, email, admin_name, active, created) VALUES ('acme.com', 'x', 'boss', 2, ?)",
      [ground.clock.now()],
    );
    assert.equal(await tenants.find('acme.com'), undefined);
    assert.deepEqual(await tenants.list(), []);
    assert.equal((await ground.call(`POST ${path}`, acme)).status, 409, 'another node may be at it');
    ground.clock.advance(6 * 60_000);
    assert.equal((await ground.call(`POST ${path}`, acme)).status, 201);
    assert.ok(await tenants.find('acme.com'));
  });
});
