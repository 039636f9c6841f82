import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { tmpdir } from 'node:os';
import { createHome, createTestClock, systemClock } from '#core';
import { coreSchema, migrate, openForeignDatabase, openSqlite } from '#db';
import { superTenant } from '../../src/identity/tenants/tenant.ts';
import { readClaimFile } from '../../src/identity/claims/claim-file.ts';
import { createClaimTables } from '../../src/identity/claims/claim-tables.ts';
import { createDatabaseStore } from '../../src/identity/users/database-store.ts';
import { createDirectoryStore } from '../../src/identity/users/directory/directory-store.ts';
import { readDirectorySettings } from '../../src/identity/users/directory/settings.ts';
import { readPasswordHashing } from '../../src/identity/users/passwords.ts';
import { usersSchema } from '../../src/identity/users/schema.ts';
import { readStoreRules } from '../../src/identity/users/store-rules.ts';
import type { UserStore } from '../../src/identity/users/user-store.ts';
import { userStoreContract } from '../contract/user-store.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';
import { slapdMissing, startSlapd, type SlapdPeer } from '../peers/slapd.ts';

describe('the database as a store of users', () => {
  const database = openSqlite({ path: ':memory:' });
  before(() => migrate(database, [coreSchema, usersSchema]));
  after(() => database[Symbol.asyncDispose]());
  userStoreContract('database', async () =>
    createDatabaseStore({
      domain: 'PRIMARY',
      database,
      clock: systemClock,
      rules: readStoreRules(new Map()),
      hashing: readPasswordHashing(new Map()),
      keptWith: (claim) => [claim],
    }),
  );
});

describe('two servers on one PostgreSQL', { skip: postgresqlMissing }, () => {
  it('know the users that the other one made', async () => {
    await using peer = await startPostgresql();
    const home = createHome(tmpdir());
    await using first = await openForeignDatabase({ home, ...peer });
    await using second = await openForeignDatabase({ home, ...peer });
    await migrate(first, [coreSchema, usersSchema]);
    const [made, asked] = [first, second].map((database) =>
      createDatabaseStore({
        domain: 'PRIMARY',
        database,
        clock: systemClock,
        rules: readStoreRules(new Map()),
        hashing: readPasswordHashing(new Map()),
        keptWith: (claim) => [claim],
      }),
    );
    const user = await made?.create(superTenant, { name: 'shared', password: 'long-enough' });
    assert.equal((await asked?.signIn(superTenant, 'shared', 'long-enough'))?.user?.id, user?.id);
    if (user) await asked?.delete(user);
    assert.equal((await made?.signIn(superTenant, 'shared', 'long-enough'))?.failure, 'unknown');
  });
});

describe('OpenLDAP as a store of users', { skip: slapdMissing }, () => {
  let peer: SlapdPeer | undefined;
  before(async () => {
    peer = await startSlapd();
  });
  after(() => peer?.[Symbol.asyncDispose]());

  function open(
    changes: Readonly<Record<string, string>> = {},
    type = 'read_write_ldap',
    claims = createClaimTables(undefined),
  ): UserStore {
    if (!peer) throw new Error('slapd was not started');
    const properties = new Map(
      Object.entries({
        ConnectionURL: peer.url,
        ConnectionName: peer.accountDn,
        ConnectionPassword: peer.accountPassword,
        UserEntryObjectClass: 'inetOrgPerson',
        GroupEntryObjectClass: 'groupOfNames',
        EmptyRolesAllowed: 'false',
        ...changes,
      }),
    );
    return createDirectoryStore({
      domain: 'PRIMARY',
      settings: readDirectorySettings(properties, type),
      rules: readStoreRules(properties, { isDirectory: true }),
      clock: createTestClock(),
      attributeOf: claims.attributesOf({ domain: 'PRIMARY', nameAttribute: 'uid' }),
    });
  }

  userStoreContract('OpenLDAP', async () => open());
  userStoreContract('OpenLDAP with pooled connections', async () =>
    open({
      ConnectionPoolingEnabled: 'true',
      UserSearchBase: 'ou=Users,ou=Second,dc=wso2,dc=org',
    }),
  );

  it('gives members of groups their roles and takes them away', async () => {
    await using store = open();
    const ada = await store.create(superTenant, { name: 'ada-groups', password: 'long-enough' });
    const bob = await store.create(superTenant, { name: 'bob-groups', password: 'long-enough' });
    await store.createGroup(superTenant, 'mathematicians', [ada]);
    await store.createGroup(superTenant, 'empty,so+far', []);
    assert.deepEqual(await store.groups(ada), ['mathematicians']);
    assert.deepEqual(await store.groupMembers(superTenant, 'empty,so+far'), []);
    await store.setGroups(bob, { add: ['mathematicians', 'empty,so+far'], remove: [] });
    assert.deepEqual((await store.groups(bob)).toSorted(), ['empty,so+far', 'mathematicians']);
    await store.setGroups(bob, { add: [], remove: ['empty,so+far'] });
    assert.deepEqual(await store.groupMembers(superTenant, 'empty,so+far'), []);
    await store.delete(ada);
    assert.deepEqual(await store.groupMembers(superTenant, 'mathematicians'), [bob.id]);
    await assert.rejects(store.setGroups(bob, { add: ['nonesuch'], remove: [] }), { code: 'MR_ROLE_UNKNOWN' });
    assert.deepEqual((await store.listGroups(superTenant)).toSorted(), ['empty,so+far', 'mathematicians']);
    await store.deleteGroup(superTenant, 'mathematicians');
    assert.deepEqual(await store.groups(bob), []);
  });

  it('keeps claims in the attributes that the file of claims names', async () => {
    const claim = (name: string, attribute: string): string =>
      `<Claim><ClaimURI>http://wso2.org/claims/${name}</ClaimURI><AttributeID>${attribute}</AttributeID></Claim>`;
    const file = `<ClaimManager><Dialects><Dialect dialectURI="http://wso2.org/claims">
      ${claim('mobile', 'OTHER/pager;PRIMARY/homePhone')}${claim('badge', 'employeeNumber')}
    </Dialect></Dialects></ClaimManager>`;
    await using store = open({}, 'read_write_ldap', createClaimTables(readClaimFile(file, 'claim-config.xml')));
    await using plain = open();
    const mobile = 'http://wso2.org/claims/mobile';
    const badge = 'http://wso2.org/claims/badge';
    const claims = new Map([
      [mobile, '+44 1'],
      [badge, '1815'],
    ]);
    const made = await store.create(superTenant, { name: 'declared', password: 'long-enough', claims });
    assert.deepEqual(await store.claims(made, [mobile, badge]), claims);
    assert.deepEqual(
      (await store.findByClaim(superTenant, [badge, '1815'])).map(({ id }) => id),
      [made.id],
    );
    // Without the file the same claim is another attribute, and the other one none.
    assert.deepEqual(await plain.claims(made, [mobile, badge]), new Map());
    await assert.rejects(store.setClaims(made, new Map([['http://wso2.org/claims/title', 'Countess']])), {
      code: 'MR_CLAIM_UNKNOWN',
    });
    await store.delete(made);
  });

  it('signs in by patterns without a search, and by hashed passwords', async () => {
    await using store = open({
      UserDNPattern: 'uid={0},ou=Nowhere,dc=wso2,dc=org#uid={0},ou=Users,dc=wso2,dc=org',
      PasswordHashMethod: 'SHA',
    });
    await using writer = open({ PasswordHashMethod: 'SHA' });
    const made = await writer.create(superTenant, { name: 'patterned', password: 'hashed-by-us' });
    assert.equal((await store.signIn(superTenant, 'patterned', 'hashed-by-us')).user?.id, made.id);
    assert.equal((await store.signIn(superTenant, 'patterned', 'wrong-password')).user, undefined);
  });

  it('keeps a unique id in the attribute that is configured', async () => {
    await using store = open(
      { UserEntryObjectClass: 'identityPerson', SCIMEnabled: 'true', UserIDAttribute: 'scimId' },
      'read_write_ldap_unique_id',
    );
    const made = await store.create(superTenant, { name: 'unique', password: 'long-enough' });
    assert.match(made.id, /^[0-9a-f-]{36}$/);
    assert.equal((await store.byId(superTenant, made.id))?.name, 'unique');
  });

  it('refuses to write where it is read-only', async () => {
    await using writer = open();
    const user = await writer.create(superTenant, { name: 'unchanged', password: 'long-enough' });
    await using store = open({}, 'read_only_ldap');
    assert.equal((await store.signIn(superTenant, 'unchanged', 'long-enough')).user?.id, user.id);
    const refused = { code: 'MR_STORE_READ_ONLY' };
    await assert.rejects(store.create(superTenant, { name: 'another', password: 'long-enough' }), refused);
    await assert.rejects(store.setPassword(user, 'another-one'), refused);
    await assert.rejects(store.setGroups(user, { add: ['x'], remove: [] }), refused);
    await assert.rejects(store.delete(user), refused);
  });

  it('turns to the next address when one does not answer', async () => {
    await using store = open({ ConnectionURL: `ldap://127.0.0.1:1 ${peer?.url}` });
    assert.equal((await store.signIn(superTenant, 'nobody', 'whatever')).failure, 'unknown');
  });

  it('says that it is unavailable, and stops asking for a while', async () => {
    await using store = open({ ConnectionURL: 'ldap://127.0.0.1:1', ConnectionRetryCount: '1' });
    assert.equal((await store.signIn(superTenant, 'nobody', 'whatever')).failure, 'unavailable');
    await assert.rejects(store.find(superTenant, 'nobody'), { code: 'MR_STORE_UNAVAILABLE', status: 503 });
  });

  it('says that its service account is refused', async () => {
    await using store = open({ ConnectionPassword: 'wrong' });
    await assert.rejects(store.find(superTenant, 'nobody'), { code: 'MR_STORE_ACCOUNT' });
  });
});
