import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import type { TenantRecord } from '#identity';
import { administer, administrationOptions, change, readPassword, type Rows } from '../administration.ts';

const domainOption = { domain: { type: 'positional', required: true, description: 'Domain of the tenant' } } as const;

const create = defineCommand({
  meta: {
    name: 'create',
    description:
      'Makes a tenant with its administrator, roles and key; the password is asked for, or read from standard input.\n\n' +
      'Example: millrace tenant create acme.com --admin admin --email admin@acme.com --home ./home\n',
  },
  args: {
    ...domainOption,
    admin: { type: 'string', description: 'Name of the administrator', default: 'admin', valueHint: 'NAME' },
    email: { type: 'string', description: 'Address of the administrator', required: true, valueHint: 'ADDRESS' },
    ...administrationOptions,
  },
  run: ({ args }) =>
    change(args, { action: 'created', target: `tenant:${args.domain}` }, async ({ tenants }) => {
      const adminPassword = await readPassword(`Password of ${args.admin}@${args.domain}: `);
      const { id, domain } = await tenants.create({
        domain: args.domain,
        adminName: args.admin,
        adminPassword,
        email: args.email,
      });
      return [{ id, domain, administrator: `${args.admin}@${domain}` }];
    }),
});

const list = defineCommand({
  meta: { name: 'list', description: 'Lists the tenants.\n\nExample: millrace tenant list --home ./home\n' },
  args: administrationOptions,
  run: ({ args }) => administer(args, async ({ tenants }) => (await tenants.list()).map(describe)),
});

const show = defineCommand({
  meta: { name: 'show', description: 'Shows one tenant.\n\nExample: millrace tenant show acme.com --home ./home\n' },
  args: { ...domainOption, ...administrationOptions },
  run: ({ args }) =>
    administer(args, async ({ tenants, clients, keys }) => {
      const found = (await tenants.list()).find(({ domain }) => domain === args.domain.toLowerCase());
      if (!found) {
        throw new MillraceError({ code: 'MR_TENANT_UNKNOWN', message: `There is no tenant ${args.domain}` });
      }
      return [
        {
          ...describe(found),
          email: found.email,
          clients: (await clients.list(found)).length,
          key: (await keys.current(found)).id,
        },
      ];
    }),
});

const activate = defineCommand({
  meta: {
    name: 'activate',
    description: 'Lets a tenant work again.\n\nExample: millrace tenant activate acme.com --home ./home\n',
  },
  args: { ...domainOption, ...administrationOptions },
  run: ({ args }) =>
    change(args, { action: 'activated', target: `tenant:${args.domain}` }, async ({ tenants }) => {
      await tenants.setActive(args.domain, true);
      return `${args.domain} is active`;
    }),
});

const deactivate = defineCommand({
  meta: {
    name: 'deactivate',
    description: 'Stops a tenant; nothing is removed.\n\nExample: millrace tenant deactivate acme.com --home ./home\n',
  },
  args: { ...domainOption, ...administrationOptions },
  run: ({ args }) =>
    change(args, { action: 'deactivated', target: `tenant:${args.domain}` }, async ({ tenants }) => {
      await tenants.setActive(args.domain, false);
      return `${args.domain} is not active`;
    }),
});

const remove = defineCommand({
  meta: {
    name: 'delete',
    description:
      'Removes a tenant with everything that is its own.\n\nExample: millrace tenant delete acme.com --home ./home\n',
  },
  args: { ...domainOption, ...administrationOptions },
  run: ({ args }) =>
    change(args, { action: 'deleted', target: `tenant:${args.domain}` }, async ({ tenants }) => {
      await tenants.delete(args.domain);
      return `removed ${args.domain}`;
    }),
});

/** `millrace tenant …`: the tenants of a home. */
export const tenantCommand = defineCommand({
  meta: { name: 'tenant', description: 'Tenants of a home\n\nExample: millrace tenant list --home ./home' },
  subCommands: { create, list, show, activate, deactivate, delete: remove },
});

function describe({ id, domain, isActive, adminName, created }: TenantRecord): Rows[number] {
  return {
    id,
    domain,
    active: isActive,
    administrator: `${adminName}@${domain}`,
    created: new Date(created).toISOString(),
  };
}
