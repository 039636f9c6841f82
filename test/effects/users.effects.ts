import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createTestClock, type TestClock } from '#core';
import { createSelfSigned } from '#keystore';
import { userStore, type Config } from '#config';
import { attributeOfClaims } from '../../src/identity/claims/local-claims.ts';
import { startTestGround } from '../../src/identity/test-ground.ts';
import { superTenant } from '../../src/identity/tenants/tenant.ts';
import { createConnections } from '../../src/identity/users/directory/connections.ts';
import { createDirectoryStore } from '../../src/identity/users/directory/directory-store.ts';
import { readDirectorySettings } from '../../src/identity/users/directory/settings.ts';
import { importUsers, readImport } from '../../src/identity/users/import-users.ts';
import { ensureSuperAdmin } from '../../src/identity/users/super-admin.ts';
import { propertiesOfConfig } from '../../src/identity/users/store-properties.ts';
import { readStoreRules } from '../../src/identity/users/store-rules.ts';
import type { UserStore } from '../../src/identity/users/user-store.ts';
import { startSmallDirectory, type SmallDirectoryOptions } from '../helpers/small-directory.ts';
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
        attributeOf: attributeOfClaims(nameAttribute),
      });
      answer = await use(store, clock);
    } catch (error) {
      answer = describe(error);
    }
    return [answer, server.requests, server.connections];
  };
}

function describe(error: unknown): unknown {
  const { code, message, detail, cause } = error as Error & { code?: string; detail?: string };
  return [code, message, detail, cause === undefined];
}

const attempt = async (work: Promise<unknown>): Promise<unknown> => work.catch(describe);
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
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on('error', () => socket.destroy())));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  try {
    const properties = new Map(propertiesOfConfig(config));
    properties.set('ConnectionURL', `ldaps://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const read = readDirectorySettings(properties, config.get(userStore.type));
    await using connections = createConnections(read.connection, createTestClock());
    const used = connections.use(async () => 'connected').catch((error: { code?: string }) => error.code);
    return await Promise.race([used, setTimeout(2000, 'still connecting', { ref: false })]);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
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

/** A row over the database and its administrative APIs. */
function ground(key: string, values: readonly [Value, Value], use: (text: string) => Promise<unknown>): EffectRow {
  return { key, first: values[0], second: values[1], observe: (_, text) => attempt(use(text)) };
}

async function createInDatabase(text: string, name: string, password: string): Promise<unknown> {
  await using server = await startTestGround(text);
  await server.administration.users.create(superTenant, { name, password });
  return (await server.database.get('SELECT password FROM mr_user WHERE name = ?', [name]))?.['password'];
}

async function shapeOfPassword(text: string): Promise<unknown> {
  const stored = String(await createInDatabase(text, 'grace', 'long-enough'));
  const [scheme, digest, salt] = stored.split('$');
  return [scheme, digest, salt === ''];
}

/** The status of a step of account recovery that comes a minute and a half after the one before. */
async function recoverLate(text: string, late: string): Promise<number> {
  await using server = await startTestGround(text);
  const mobile = new Map([['http://wso2.org/claims/mobile', '+44 1']]);
  await server.administration.users.create(superTenant, { name: 'grace', password: 'long-enough', claims: mobile });
  const step = async (path: string, body: object): Promise<{ status: number; fields: Record<string, string> }> => {
    if (path === late) server.clock.advance(90_000);
    const reply = await server.call(`POST /api/users/v1/recovery/${path}`, body, '');
    const [first] = [reply.json].flat() as { channelInfo?: Record<string, string> }[];
    return { status: reply.status, fields: first?.channelInfo ?? (first as Record<string, string>) };
  };
  const claims = [{ uri: 'http://wso2.org/claims/username', value: 'grace' }];
  const { recoveryCode } = (await step('password/init', { claims })).fields;
  const recovered = await step('password/recover', { recoveryCode, channelId: '2' });
  if (late === 'password/recover') return recovered.status;
  const { resendCode, flowConfirmationCode } = recovered.fields;
  if (late === 'password/resend') return (await step('password/resend', { resendCode })).status;
  while (server.notices.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const otp = server.notices[0]?.values.get('confirmation-code');
  return (await step('password/confirm', { confirmationCode: flowConfirmationCode, otp })).status;
}

const recoveryOn = '[identity_mgt.password_reset_email]\nenable_password_reset_email = true\n';

/** What the first page of account recovery has fields look like, and says of a name that may not fit. */
async function askForRecovery(text: string): Promise<unknown> {
  await using server = await startTestGround(text);
  const page = await server.pages.call('/accountrecoveryendpoint/recoverpassword.do');
  return page.text.match(/ pattern="[^"]*"/g);
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
  ground('user_store.properties.SCIMEnabled', [true, false], async (text) => {
    await using server = await startTestGround(text);
    return (await server.call('GET /scim2/Users')).json['totalResults'];
  }),
  ground('identity_mgt.password_reset_email.enable_password_reset_email', [true, false], async (text) => {
    await using server = await startTestGround(text);
    const claims = [{ uri: 'http://wso2.org/claims/username', value: 'admin' }];
    return (await server.call('POST /api/users/v1/recovery/password/init', { claims }, '')).status;
  }),
  ...(
    [
      ['identity_mgt.notification_channel_recovery.recovery_code_validity', 'password/recover'],
      ['identity_mgt.notification_channel_recovery.resend_code_validity', 'password/resend'],
      ['identity_mgt.password_reset_sms.sms_otp_validity', 'password/confirm'],
    ] as const
  ).map(([key, late]): EffectRow => ({
    ...ground(key, [1, 2], (text) => recoverLate(text, late)),
    given: '[identity_mgt.password_reset_email]\nenable_password_reset_email = true',
  })),
  ground('tenant_mgt.enable_email_domain', [true, false], async (text) => {
    await using server = await startTestGround(text);
    const { users, tenants } = server.administration;
    const facts = { adminName: 'ada', adminPassword: 'theirs-theirs', email: 'ada@acme.com' };
    await tenants.create({ domain: 'acme.com', ...facts });
    await users.create(superTenant, { name: 'ada@acme.com', password: 'ours-ours' });
    const call = async (name: string, password: string): Promise<number> =>
      (await server.call('GET /scim2/Me', undefined, `${name}:${password}`)).status;
    return [
      await call('ada@acme.com', 'ours-ours'),
      await call('ada@acme.com@carbon.super', 'ours-ours'),
      await call('admin@carbon.super', 'admin-password'),
    ];
  }),
  {
    ...ground('user_store.properties.UsernameJavaScriptRegEx', ['^[a-z]{3,9}$', '^[0-9]{3,9}$'], askForRecovery),
    given: recoveryOn,
  },
  {
    ...ground('user_store.properties.PasswordJavaScriptRegEx', ['^.{5,9}$', '^[0-9]{5,9}$'], async (text) => {
      await using server = await startTestGround(text);
      return (await server.pages.call('/accountrecoveryendpoint/confirmrecovery.do?confirmation=1')).text.match(
        / pattern="[^"]*"/g,
      );
    }),
    given: recoveryOn,
  },
  ground('user_store.properties.Disabled', [true, false], async (text) => {
    await using server = await startTestGround(text);
    return (await server.administration.stores.of(superTenant)).map(({ domain }) => domain);
  }),
  ground('user_store.properties.IsBulkImportSupported', [true, false], async (text) => {
    await using server = await startTestGround(text);
    const data = { userName: 'grace', password: 'long-enough' };
    const Operations = [{ method: 'POST', path: '/Users', bulkId: 'one', data }];
    const bulk = (await server.call('POST /scim2/Bulk', { Operations })).json['Operations'];
    const wanted = readImport('UserName,Password,Claims\nlinus,long-enough', 'people.csv');
    const made = importUsers(server.administration, superTenant, wanted);
    return [(bulk as readonly { status: string }[])[0]?.status, await attempt(made)];
  }),
  ground('user_store.properties.UserNameUniqueAcrossTenants', [true, false], async (text) => {
    await using server = await startTestGround(text);
    const { users, tenants } = server.administration;
    const facts = { adminName: 'boss', adminPassword: 'theirs-theirs', email: 'boss@acme.com' };
    await tenants.create({ domain: 'acme.com', ...facts });
    return (await users.create(superTenant, { name: 'boss', password: 'ours-ours' })).name;
  }),
  ground('user_store.properties.PasswordDigest', ['SHA-256', 'PBKDF2'], shapeOfPassword),
  {
    ...ground('user_store.properties.StoreSaltedPassword', [true, false], shapeOfPassword),
    given: `${section}\nPasswordDigest = "SHA-256"`,
  },
  ground('user_store.properties.DomainName', ['FIRST', 'OTHER'], async (text) => {
    await using server = await startTestGround(text);
    return (await server.administration.users.find(superTenant, 'admin'))?.storeDomain;
  }),
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
  ...(['username', 'admin_role'] as const).map((name): EffectRow => ({
    key: `super_admin.${name}`,
    first: 'first-name',
    second: 'second-name',
    observe: (config) => firstAdmin(config),
  })),
  {
    key: 'super_admin.create_admin_account',
    first: true,
    second: false,
    observe: (config) => firstAdmin(config),
  },
];

/** The administrator that a new home gets, with the roles. */
async function firstAdmin(config: Config): Promise<unknown> {
  const { openAdminAccount } = await import('../../src/server/admin-account.ts');
  await using server = await startTestGround();
  const { users, roles, stores } = server.administration;
  const { account } = await openAdminAccount(server.home, config);
  const admin = {
    name: account.username,
    passwordHash: account.exists ? account.passwordHash : undefined,
    password: undefined,
    role: account.role,
  };
  // `admin` is there from the start, which the account that may not be made must not profit from.
  const known = await users.find(superTenant, 'admin');
  if (known) await users.delete(known);
  return await attempt(
    (async () => {
      await ensureSuperAdmin(admin, { users, roles, stores: await stores.of(superTenant) });
      const user = await users.find(superTenant, account.username);
      return user && [user.name, await users.roles(user)];
    })(),
  );
}
