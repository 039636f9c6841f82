import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClaimsOf } from '../claims/claims-of.ts';
import { startTestGround, type TestGround } from '../test-ground.ts';
import { superTenant } from '../tenants/tenant.ts';
import { readPasswordHashing, verifyPassword } from './passwords.ts';
import { ensureSuperAdmin } from './super-admin.ts';
import { createVerifyAdmin } from './verify-admin.ts';

const dialect = 'http://wso2.org/claims/';

describe('passwords of the database', () => {
  it('are kept as the original does where a digest is named', async () => {
    const salted = await readPasswordHashing(new Map([['PasswordDigest', 'SHA-256']])).hash('secret');
    const [scheme, name, salt = '', hash] = salted.split('$');
    assert.deepEqual([scheme, name], ['digest', 'SHA-256']);
    assert.equal(hash, createHash('sha256').update(`secret${salt}`).digest('base64'));
    const plain = new Map([
      ['PasswordDigest', 'MD5'],
      ['StoreSaltedPassword', 'false'],
    ]);
    const unsalted = await readPasswordHashing(plain).hash('secret');
    assert.equal(unsalted, `digest$MD5$$${createHash('md5').update('secret').digest('base64')}`);
    assert.throws(() => readPasswordHashing(new Map([['PasswordDigest', 'ROT13']])), { code: 'MR_STORE_PROPERTY' });
  });

  it('are checked in every form, and nothing else is let in', async () => {
    for (const digest of ['', 'SHA-512', 'MD5', 'PBKDF2', 'PLAIN_TEXT']) {
      const hashing = readPasswordHashing(new Map([['PasswordDigest', digest]]));
      const stored = await hashing.hash('pass$word');
      assert.equal(await verifyPassword('pass$word', stored), true, digest);
      assert.equal(await verifyPassword('pass', stored), false, digest);
    }
    for (const broken of ['', 'none$x', 'digest$NONE$$x', 'constructor$x']) {
      assert.equal(await verifyPassword('x', broken), false, broken);
    }
  });

  it('are hashed anew when their user signs in', async () => {
    await using ground = await startTestGround();
    const { users } = ground.administration;
    const user = await users.create(superTenant, { name: 'legacy', password: 'long-enough' });
    const digest = createHash('sha1').update('old-password').digest('base64');
    await ground.database.run('UPDATE mr_user SET password = ? WHERE id = ?', [`digest$SHA-1$$${digest}`, user.id]);
    assert.equal((await users.signIn(superTenant, 'legacy', 'wrong-password')).failure, 'password');
    assert.ok((await users.signIn(superTenant, 'legacy', 'old-password')).user);
    const row = await ground.database.get('SELECT password FROM mr_user WHERE id = ?', [user.id]);
    assert.match(String(row?.['password']), /^digest\$SHA-256\$/);
    assert.ok((await users.signIn(superTenant, 'legacy', 'old-password')).user);
  });
});

function writeStore(ground: TestGround, properties: Readonly<Record<string, string>>): string {
  mkdirSync(ground.home.userstores, { recursive: true });
  const file = join(ground.home.userstores, 'SECOND.xml');
  const lines = Object.entries(properties).map(([name, value]) => `<Property name="${name}">${value}</Property>`);
  const className = 'org.wso2.carbon.user.core.jdbc.UniqueIDJDBCUserStoreManager';
  writeFileSync(file, `<UserStoreManager class="${className}">${lines.join('\n')}</UserStoreManager>`);
  ground.clock.advance(2000);
  return file;
}

describe('secondary stores', () => {
  it('come and go with their files', async () => {
    await using ground = await startTestGround();
    const { users } = ground.administration;
    const facts = { DomainName: 'second', url: 'jdbc:h2:./data/second', PasswordDigest: 'SHA-256' };
    const early = users.create(superTenant, { name: 'SECOND/eve', password: 'long-enough' });
    await assert.rejects(early, { code: 'MR_STORE_UNKNOWN' });
    const file = writeStore(ground, facts);
    const eve = await users.create(superTenant, { name: 'second/eve', password: 'long-enough' });
    assert.equal(eve.storeDomain, 'SECOND');
    assert.equal((await users.signIn(superTenant, 'SECOND/eve', 'long-enough')).user?.id, eve.id);
    assert.equal((await users.signIn(superTenant, 'eve', 'long-enough')).user?.id, eve.id);
    writeStore(ground, { ...facts, UsernameJavaRegEx: '[' });
    assert.ok(await users.byId(superTenant, eve.id), 'a faulty file changes nothing');
    writeStore(ground, { ...facts, Disabled: 'true' });
    assert.equal(await users.byId(superTenant, eve.id), undefined);
    writeStore(ground, facts);
    assert.ok(await users.byId(superTenant, eve.id));
    rmSync(file);
    ground.clock.advance(2000);
    assert.equal(await users.byId(superTenant, eve.id), undefined);
  });
});

describe('claims', () => {
  it('are those of the scopes, with their types', async () => {
    await using ground = await startTestGround();
    const { users, roles } = ground.administration;
    await roles.ensure(superTenant, 'engineers');
    const claims = new Map([
      [`${dialect}givenname`, 'Ada'],
      [`${dialect}emailaddress`, 'ada@example.com'],
      [`${dialect}identity/emailVerified`, 'true'],
      [`${dialect}locality`, 'London'],
    ]);
    const user = await users.create(superTenant, {
      name: 'ada',
      password: 'long-enough',
      roles: ['engineers'],
      claims,
    });
    const claimsOf = createClaimsOf(ground.administration);
    const ask = async (
      scopes: readonly string[],
      configured?: readonly string[],
      requested: readonly string[] = [],
    ) => {
      const all = await claimsOf({ userId: user.id, tenant: superTenant, scopes, configured, requested });
      const { updated_at: updated, ...rest } = all;
      if (updated !== undefined) assert.equal(typeof updated, 'number');
      return rest;
    };
    assert.deepEqual(await ask(['openid']), {});
    assert.deepEqual(await ask(['profile']), { username: 'ada', given_name: 'Ada' });
    assert.deepEqual(await ask(['email']), { email: 'ada@example.com', email_verified: true });
    assert.deepEqual(await ask(['address']), { address: { locality: 'London' } });
    assert.deepEqual(await ask(['groups']), { groups: ['engineers'] });
    assert.deepEqual(await ask(['roles']), { roles: ['engineers', 'Internal/everyone'] });
    assert.deepEqual(await ask(['email', 'profile'], ['email']), { email: 'ada@example.com' });
    assert.deepEqual(await ask([], undefined, ['email']), { email: 'ada@example.com' });
    const other = { ...superTenant, id: 7 };
    const asked = { userId: user.id, tenant: other, scopes: ['email'], configured: undefined, requested: [] };
    assert.deepEqual(await claimsOf(asked), {});
  });
});

describe('the first administrator', () => {
  const admin = { name: 'root', passwordHash: 'plain$root-password', password: 'root-password', role: 'admin' };

  it('is made once, with the role, and may administer', async () => {
    await using ground = await startTestGround();
    const { users, roles, stores } = ground.administration;
    const parts = { users, roles, stores: await stores.of(superTenant) };
    await ensureSuperAdmin(admin, parts);
    await ensureSuperAdmin({ ...admin, passwordHash: 'plain$changed' }, parts);
    const verify = createVerifyAdmin({
      users,
      findTenant: async () => undefined,
      emailNames: false,
      adminRole: 'admin',
    });
    assert.equal(await verify('root', 'root-password'), true);
    assert.equal(await verify('root', 'changed'), false);
    await users.create(superTenant, { name: 'nobody', password: 'long-enough' });
    assert.equal(await verify('nobody', 'long-enough'), false);
  });

  it('must be there where it may not be made', async () => {
    await using ground = await startTestGround();
    const { users, roles, stores } = ground.administration;
    const all = await stores.of(superTenant);
    const missing = { code: 'MR_ADMIN_MISSING' };
    await assert.rejects(
      ensureSuperAdmin({ ...admin, passwordHash: undefined }, { users, roles, stores: all }),
      missing,
    );
    const readOnly = all.map((store) => ({ ...store, isReadOnly: true }));
    await assert.rejects(ensureSuperAdmin(admin, { users, roles, stores: readOnly }), missing);
    await assert.rejects(ensureSuperAdmin({ ...admin, name: 'GONE/root' }, { users, roles, stores: all }), missing);
  });
});
