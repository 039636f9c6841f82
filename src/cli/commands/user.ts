import { readFileSync } from 'node:fs';
import process from 'node:process';
import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { importUsers, readImport, type Administration, type Tenant, type User } from '#identity';
import { administer, administrationOptions, change, listOf, readPassword, tenantOption } from '../administration.ts';

const options = { ...administrationOptions, ...tenantOption } as const;
const nameOption = {
  name: { type: 'positional', required: true, description: 'Name of the user, DOMAIN/NAME in a secondary store' },
} as const;
const mail = 'http://wso2.org/claims/emailaddress';
const disabled = 'http://wso2.org/claims/identity/accountDisabled';

const create = defineCommand({
  meta: {
    name: 'create',
    description:
      'Makes a user; the password is asked for, or read from standard input.\n\n' +
      'Example: millrace user create ada --roles admin --home ./home\n',
  },
  args: {
    ...nameOption,
    roles: { type: 'string', description: 'Roles, divided by commas', valueHint: 'ROLES' },
    email: { type: 'string', description: 'Address of mail', valueHint: 'ADDRESS' },
    ...options,
  },
  run: ({ args }) =>
    change(args, { action: 'created', target: `user:${args.name}` }, async ({ users }, tenant) => {
      const password = await readPassword(`Password of ${args.name}: `);
      const claims = new Map(args.email === undefined ? [] : [[mail, args.email]]);
      const user = await users.create(tenant, { name: args.name, password, roles: listOf(args.roles), claims });
      return `made ${user.name} in ${user.storeDomain}, ${tenant.domain}`;
    }),
});

const importing = defineCommand({
  meta: {
    name: 'import',
    description:
      'Makes the users of a file: a line of headings, then on each line NAME,PASSWORD and any number of CLAIM=VALUE.\n\n' +
      'Example: millrace user import people.csv --home ./home\n',
  },
  args: {
    file: { type: 'positional', required: true, description: 'File of values divided by commas' },
    ...options,
  },
  run: ({ args }) =>
    change(args, { action: 'imported', target: `users:${args.file}` }, async (administration, tenant) => {
      const done = await importUsers(administration, tenant, readImport(readText(args.file), args.file));
      if (done.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
      return done.map(({ name, line, problem }) => ({ name, line, result: problem ?? 'made' }));
    }),
});

const list = defineCommand({
  meta: {
    name: 'list',
    description: 'Lists users.\n\nExample: millrace user list --match "a*" --home ./home\n',
  },
  args: {
    match: { type: 'string', description: 'Pattern with *', default: '*', valueHint: 'PATTERN' },
    store: { type: 'string', description: 'Domain of a user store', valueHint: 'DOMAIN' },
    limit: { type: 'string', description: 'Most users', default: '100', valueHint: 'N' },
    ...options,
  },
  run: ({ args }) =>
    administer(args, async ({ users }, tenant) => {
      const limit = Number(args.limit);
      if (!Number.isInteger(limit) || limit < 1) throw wrongNumber(args.limit);
      const store = args.store === undefined ? {} : { storeDomain: args.store.toUpperCase() };
      const found = await users.list(tenant, { name: args.match, limit, ...store });
      return found.map((user) => ({ name: user.displayName ?? user.name, store: user.storeDomain, id: user.id }));
    }),
});

const show = defineCommand({
  meta: { name: 'show', description: 'Shows one user.\n\nExample: millrace user show ada --home ./home\n' },
  args: { ...nameOption, ...options },
  run: ({ args }) =>
    administer(args, async (administration, tenant) => {
      const user = await existing(administration, tenant, args.name);
      const claims = await administration.users.claims(user, [mail]);
      return [
        {
          name: user.name,
          store: user.storeDomain,
          id: user.id,
          blocked: await administration.users.isBlocked(user),
          email: claims.get(mail) ?? '',
          roles: (await administration.users.roles(user)).join(', '),
        },
      ];
    }),
});

const remove = defineCommand({
  meta: {
    name: 'delete',
    description:
      'Removes a user and ends their sessions and tokens.\n\nExample: millrace user delete ada --home ./home\n',
  },
  args: { ...nameOption, ...options },
  run: ({ args }) =>
    change(args, { action: 'deleted', target: `user:${args.name}` }, async (administration, tenant) => {
      await administration.users.delete(await existing(administration, tenant, args.name));
      return `removed ${args.name}`;
    }),
});

const password = defineCommand({
  meta: {
    name: 'password',
    description:
      'Gives a user another password and ends their sessions and tokens.\n\n' +
      'Example: millrace user password ada --home ./home\n',
  },
  args: { ...nameOption, ...options },
  run: ({ args }) =>
    change(args, { action: 'changed password', target: `user:${args.name}` }, async (administration, tenant) => {
      const user = await existing(administration, tenant, args.name);
      await administration.users.setPassword(user, await readPassword(`New password of ${args.name}: `));
      return `changed the password of ${args.name}`;
    }),
});

const roles = defineCommand({
  meta: {
    name: 'roles',
    description:
      'Gives a user roles and takes roles away.\n\n' +
      'Example: millrace user roles ada --add admin --remove Internal/reader --home ./home\n',
  },
  args: {
    ...nameOption,
    add: { type: 'string', description: 'Roles to give, divided by commas', valueHint: 'ROLES' },
    remove: { type: 'string', description: 'Roles to take away', valueHint: 'ROLES' },
    ...options,
  },
  run: ({ args }) =>
    change(args, { action: 'changed roles', target: `user:${args.name}` }, async (administration, tenant) => {
      const user = await existing(administration, tenant, args.name);
      await administration.users.setRoles(user, { add: listOf(args.add), remove: listOf(args.remove) });
      return (await administration.users.roles(user)).map((role) => ({ role }));
    }),
});

const setActive = (name: string, isActive: boolean, description: string) =>
  defineCommand({
    meta: { name, description: `${description}\n\nExample: millrace user ${name} ada --home ./home\n` },
    args: { ...nameOption, ...options },
    run: ({ args }) =>
      change(
        args,
        { action: isActive ? 'activated' : 'deactivated', target: `user:${args.name}` },
        async (administration, tenant) => {
          const user = await existing(administration, tenant, args.name);
          await administration.users.setClaims(user, new Map([[disabled, isActive ? 'false' : 'true']]));
          return `${args.name} is ${isActive ? '' : 'not '}active`;
        },
      ),
  });

/** `millrace user …`: the users of a home. */
export const userCommand = defineCommand({
  meta: { name: 'user', description: 'Users of a home\n\nExample: millrace user list --home ./home' },
  subCommands: {
    create,
    import: importing,
    list,
    show,
    delete: remove,
    activate: setActive('activate', true, 'Lets a user sign in again.'),
    deactivate: setActive('deactivate', false, 'Keeps a user from signing in, and ends their sessions and tokens.'),
    password,
    roles,
  },
});

async function existing({ users }: Administration, tenant: Tenant, name: string): Promise<User> {
  const user = await users.find(tenant, name);
  if (user) return user;
  throw new MillraceError({ code: 'MR_USER_UNKNOWN', message: `There is no user "${name}" in ${tenant.domain}` });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new MillraceError({ code: 'MR_CLI_VALUE', message: `${file} cannot be read`, cause });
  }
}

function wrongNumber(found: string): MillraceError {
  return new MillraceError({ code: 'MR_CLI_VALUE', message: `--limit: expected a number from 1, found "${found}"` });
}
