import type { Config } from '#config';
import { startTestGround } from '../../src/identity/test-ground.ts';
import { superTenant } from '../../src/identity/tenants/tenant.ts';
import { importUsers, readImport } from '../../src/identity/users/import-users.ts';
import { ensureSuperAdmin } from '../../src/identity/users/super-admin.ts';
import { attempt } from './attempt.ts';
import type { EffectRow } from './effect-row.ts';

type Value = EffectRow['first'];

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

export const rows: readonly EffectRow[] = [
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
    given: recoveryOn,
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
    given: '[user_store.properties]\nPasswordDigest = "SHA-256"',
  },
  ground('user_store.properties.DomainName', ['FIRST', 'OTHER'], async (text) => {
    await using server = await startTestGround(text);
    return (await server.administration.users.find(superTenant, 'admin'))?.storeDomain;
  }),
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
