import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createTestClock, type TestClock } from '#core';
import { createSelfSigned } from '#keystore';
import { userStore, type Config } from '#config';
import { createClaimTables } from '../../src/identity/claims/claim-tables.ts';
import { startTestGround } from '../../src/identity/test-ground.ts';
import { superTenant } from '../../src/identity/tenants/tenant.ts';
import { createConnections } from '../../src/identity/users/directory/connections.ts';
import { createDirectoryStore } from '../../src/identity/users/directory/directory-store.ts';
import { readDirectorySettings } from '../../src/identity/users/directory/settings.ts';
import { propertiesOfConfig } from '../../src/identity/users/store-properties.ts';
import { readStoreRules } from '../../src/identity/users/store-rules.ts';
import type { UserStore } from '../../src/identity/users/user-store.ts';
import { startSmallDirectory, type SmallDirectoryOptions } from '../helpers/small-directory.ts';
import { openSmallServer } from '../helpers/small-server.ts';
import { attempt, failureOf } from './attempt.ts';
import type { EffectRow } from './effect-row.ts';

type Use = (store: UserStore, clock: TestClock) => Promise<unknown>;

const section = '[user_store.properties]';
const account = `${section}\nConnectionName = "cn=svc"\nConnectionPassword = "svc-password"`;
const directory = `[user_store]\ntype = "read_write_ldap"\n${account}`;
const activeDirectory = `[user_store]\ntype = "active_directory"\n${account}\nConnectionURL = "ldap://replaced:389"`;

const people = [
  {
    dn: 'uid=ada,ou=Users,dc=wso2,dc=org',
    attributes: {
      objectClass: ['person'],
      uid: ['ada'],
      cn: ['Ada L'],
      scimId: ['s-1'],
      entryUUID: ['e-1'],
      postalAddress: ['one', 'two'],
      memberOf: ['cn=byBackLink,ou=Groups,dc=wso2,dc=org'],
      isIn: ['cn=byOther,ou=Groups,dc=wso2,dc=org'],
    },
  },
  {
    dn: 'cn=team,ou=Groups,dc=wso2,dc=org',
    attributes: {
      objectClass: ['groupOfNames'],
      cn: ['team'],
      member: ['uid=ada,ou=Users,dc=wso2,dc=org'],
      entryUUID: ['g-1'],
      gid: ['g-2'],
      createTimestamp: ['20250102030405Z'],
      modifyTimestamp: ['20250203040506Z'],
      made: ['20260102030405Z'],
    },
  },
] as const;

/** What a store answers, or the code of its failure, and what it asked of the directory. */
function asked(use: Use, options: SmallDirectoryOptions = {}) {
  return async (config: Config): Promise<unknown> => {
    await using server = await startSmallDirectory({ entries: people, ...options });
    const properties = new Map(propertiesOfConfig(config));
    const url = properties.get('ConnectionURL') ?? '';
    if (!url.includes('127.0.0.1')) properties.set('ConnectionURL', server.url);
    const clock = createTestClock();
    const nameAttribute = properties.get('UserNameAttribute') ?? 'uid';
    let answer: unknown;
    try {
      await using store = createDirectoryStore({
        domain: 'PRIMARY',
        settings: readDirectorySettings(properties, config.get(userStore.type)),
        rules: readStoreRules(properties, { isDirectory: true }),
        clock,
        attributeOf: createClaimTables(undefined).attributesOf({ domain: 'PRIMARY', nameAttribute }),
      });
      answer = await use(store, clock);
    } catch (error) {
      answer = failureOf(error);
    }
    return [answer, server.requests, server.connections];
  };
}

const create: Use = (store) => attempt(store.create(superTenant, { name: 'grace', password: 'long-enough' }));
const find: Use = async (store) => (await store.find(superTenant, 'ada'))?.id;
const signIn: Use = async (store) => (await store.signIn(superTenant, 'ada', 'right')).failure;
const list: Use = async (store) => (await store.list(superTenant, { limit: 5000 })).map((each) => each.displayName);
const listGroups: Use = (store) => store.listGroups(superTenant);
const members: Use = (store) => store.groupMembers(superTenant, 'team');
const createGroup: Use = (store) => attempt(store.createGroup(superTenant, 'new-team', []));

const describeGroups: Use = async (store) => store.describeGroups?.(superTenant);

/** Whether somebody is found within two seconds in a directory that takes connections and never says anything. */
async function findBehindSilence(config: Config): Promise<unknown> {
  await using server = await openSmallServer(createServer());
  const properties = new Map(propertiesOfConfig(config));
  properties.set('ConnectionURL', `ldaps://127.0.0.1:${server.port}`);
  const read = readDirectorySettings(properties, config.get(userStore.type));
  await using connections = createConnections(read.connection, createTestClock());
  const used = connections.use(async () => 'connected').catch((error: { code?: string }) => error.code);
  return await Promise.race([used, setTimeout(2000, 'still connecting', { ref: false })]);
}

const groupsTwice: Use = async (store, clock) => {
  const user = await store.find(superTenant, 'ada');
  if (!user) return 'nobody';
  const first = await store.groups(user);
  clock.advance(2 * 60_000);
  return [first, await store.groups(user)];
};

const address: Use = async (store) => {
  const user = await store.find(superTenant, 'ada');
  const claim = 'http://wso2.org/claims/addresses';
  return user && (await store.claims(user, [claim])).get(claim);
};

type Value = EffectRow['first'];

/** A row of a property over a directory. */
function row(name: string, values: readonly [Value, Value], use: Use, more: Partial<EffectRow> = {}): EffectRow {
  const [first, second] = values;
  return {
    key: `user_store.properties.${name}`,
    first,
    second,
    given: directory,
    observe: asked(use),
    ...more,
  };
}

const silent = { silentOn: /^bind uid=ada/ };
const quick = `${directory}\nReadTimeout = 400`;

export const rows: readonly EffectRow[] = [
  row('ConnectionURL', ['ldap://127.0.0.1:1', 'ldap://127.0.0.1:2'], find),
  row('ConnectionName', ['cn=one', 'cn=two'], find, {
    given: `[user_store]\ntype = "read_write_ldap"\n${section}\nConnectionPassword = "x"`,
  }),
  row('ConnectionPassword', ['one', 'two'], find, {
    given: `[user_store]\ntype = "read_write_ldap"\n${section}\nConnectionName = "cn=svc"`,
  }),
  row('AnonymousBind', [true, false], find),
  row('UserSearchBase', ['ou=a', 'ou=b#ou=c'], find),
  row('UserNameListFilter', ['(objectClass=person)', '(objectClass=user)'], list),
  row('UserNameSearchFilter', ['(uid=?)', '(mail=?)'], find),
  row('UserNameAttribute', ['uid', 'cn'], list),
  row('UserEntryObjectClass', ['identityPerson', 'inetOrgPerson'], create),
  row('UserDNPattern', ['uid={0},ou=a', 'cn={0},ou=b'], signIn),
  row('UserIDAttribute', ['scimId', 'entryUUID'], find),
  row('UserIdSearchFilter', ['(entryUUID=?)', '(&(objectClass=person)(entryUUID=?))'], (store) =>
    store.byId(superTenant, 'e-1'),
  ),
  row('DisplayNameAttribute', ['cn', 'scimId'], list),
  row('PasswordHashMethod', ['SHA', 'PLAIN_TEXT'], create),
  row('MaxUserNameListLength', [10, 20], list),
  row('MaxRoleNameListLength', [10, 20], listGroups),
  row('UsernameJavaRegEx', ['^[a-z]{3,30}$', '^[0-9]{3,30}$'], create),
  row('PasswordJavaRegEx', ['^.{5,30}$', '^[0-9]{5,30}$'], create),
  row('RolenameJavaRegEx', ['^.{5,30}$', '^[0-9]{5,30}$'], createGroup),
  row('GroupSearchBase', ['ou=a', 'ou=b'], members),
  row('GroupNameListFilter', ['(objectClass=groupOfNames)', '(objectClass=group)'], listGroups),
  row('GroupNameSearchFilter', ['(cn=?)', '(ou=?)'], members),
  row('GroupNameAttribute', ['cn', 'ou'], createGroup),
  row('GroupEntryObjectClass', ['groupOfNames', 'openGroup'], createGroup),
  row('MembershipAttribute', ['member', 'uniqueMember'], members),
  row('MembershipAttributeRange', [500, 1500], members, { given: activeDirectory }),
  row('RoleDNPattern', ['cn={0},ou=a', 'cn={0},ou=b'], members),
  row('ReadGroups', [true, false], listGroups),
  row('WriteGroups', [true, false], createGroup),
  row('EmptyRolesAllowed', [true, false], createGroup),
  row('MemberOfAttribute', ['memberOf', 'isIn'], groupsTwice),
  row('BackLinksEnabled', [true, false], groupsTwice),
  row('UserRoleCacheEnabled', [true, false], groupsTwice),
  row('UserCoreCacheTimeOut', [1, 5], groupsTwice),
  row('CaseInsensitiveUsername', [true, false], async (store) => (await store.find(superTenant, 'ADA'))?.name),
  row('ReplaceEscapeCharactersAtUserLogin', [true, false], async (store) => store.find(superTenant, String.raw`a\da`)),
  row('MultiAttributeSeparator', [',', ';'], address),
  row('ReadOnly', [true, false], create),
  row('userAccountControl', [512, 544], create, { given: activeDirectory }),
  row('ConnectionPoolingEnabled', [true, false], async (store) => [
    await find(store, createTestClock()),
    await list(store, createTestClock()),
  ]),
  row('StartTLSEnabled', [true, false], find, { observe: asked(find, { silentOn: /^extended/ }), given: quick }),
  row('Referral', ['throw', 'ignore'], list, { observe: asked(list, { refersTo: 'ldap://127.0.0.1:1/ou=far' }) }),
  row('ReadTimeout', [40, 60_000], signIn, {
    observe: asked(
      (store) => Promise.race([store.signIn(superTenant, 'ada', 'right'), setTimeout(2000, undefined, { ref: false })]),
      silent,
    ),
  }),
  row('RetryAttempts', [0, 2], signIn, { observe: asked(signIn, silent), given: quick }),
  row('LDAPConnectionTimeout', [40, 60_000], find, { given: directory, observe: findBehindSilence }),
  row('SSLCertificateValidationEnabled', [true, false], find, {
    observe: async (config) => {
      const pair = await createSelfSigned({ hostNames: ['127.0.0.1'], days: 1 });
      const tls = { key: pair.privateKeyPem, cert: pair.certificatePem };
      const found = async (store: UserStore): Promise<unknown> =>
        store.find(superTenant, 'ada').then(
          (user) => user?.id,
          (error: { code?: string }) => error.code,
        );
      return asked(found, { tls })(config);
    },
  }),
  row('GroupIDEnabled', [true, false], describeGroups),
  row('GroupIdAttribute', ['entryUUID', 'gid'], describeGroups, {
    given: directory.replace(section, `${section}\nGroupIDEnabled = true`),
  }),
  row('GroupCreatedDateAttribute', ['createTimestamp', 'made'], describeGroups),
  row('GroupLastModifiedDateAttribute', ['modifyTimestamp', 'made'], describeGroups),
  row('isADLDSRole', [true, false], createGroup, { given: activeDirectory }),
  row('ConnectionRetryDelay', [1000, 60_000], find, {
    given: `${directory}\nConnectionURL = "ldap://127.0.0.1:1"`,
    observe: asked(async (store, clock) => {
      for (let times = 0; times < 2; times++) await attempt(store.find(superTenant, 'ada'));
      clock.advance(10_000);
      return attempt(store.find(superTenant, 'ada'));
    }),
  }),
  {
    key: 'user_store.type',
    first: 'read_only_ldap',
    second: 'read_write_ldap',
    given: account,
    observe: asked(create),
  },
  {
    key: 'user_store.base_dn',
    first: 'dc=wso2,dc=org',
    second: 'dc=acme,dc=com',
    given: directory,
    observe: asked(find),
  },
  {
    key: 'user_store.class',
    first: 'org.wso2.carbon.user.core.jdbc.JDBCUserStoreManager',
    second: 'org.wso2.carbon.user.core.ldap.ReadWriteLDAPUserStoreManager',
    given: `${account}\nConnectionURL = "ldap://127.0.0.1:1"`,
    // The database has nobody; the directory does not answer.
    observe: async (_, text) => {
      await using server = await startTestGround(text);
      return await attempt(server.administration.users.find(superTenant, 'nobody'));
    },
  },
  ...(['TenantManager', 'MultiTenantRealmConfigBuilder'] as const).map((name): EffectRow => ({
    key: `user_store.properties.${name}`,
    first:
      name === 'TenantManager'
        ? 'org.wso2.carbon.user.core.tenant.JDBCTenantManager'
        : 'org.wso2.carbon.user.core.config.multitenancy.SimpleRealmConfigBuilder',
    second:
      name === 'TenantManager'
        ? 'org.wso2.carbon.user.core.tenant.CommonHybridLDAPTenantManager'
        : 'org.wso2.carbon.user.core.config.multitenancy.CommonLDAPRealmConfigBuilder',
    given: `${directory}\nConnectionURL = "ldap://127.0.0.1:1"`,
    // Users of a tenant are in the database, or in the directory, which does not answer here.
    observe: async (_, text) => {
      await using server = await startTestGround(text);
      const tenant = { id: 1, domain: 'acme.com', isActive: true };
      return await attempt(server.administration.users.list(tenant, { limit: 1 }));
    },
  })),
];
