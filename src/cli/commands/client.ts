import { randomBytes } from 'node:crypto';
import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { newClient, setClientActive, type Administration, type Client, type Tenant } from '#identity';
import { administer, administrationOptions, change, listOf, tenantOption } from '../administration.ts';
import { describeClient, settingOptions, settingsOf } from '../client-settings.ts';

const options = { ...administrationOptions, ...tenantOption } as const;
const idOption = { id: { type: 'positional', required: true, description: 'Id of the client' } } as const;

const create = defineCommand({
  meta: {
    name: 'create',
    description:
      'Registers a client of the authorization server and shows its secret.\n\n' +
      'Example: millrace client create shop --grants client_credentials,authorization_code ' +
      '--redirect https://shop.example/callback --home ./home\n',
  },
  args: {
    name: { type: 'positional', required: true, description: 'Name of the client' },
    id: { type: 'string', description: 'Id; made up when absent', valueHint: 'ID' },
    grants: { type: 'string', description: 'Grants, divided by commas', default: 'client_credentials' },
    redirect: { type: 'string', description: 'Addresses of redirection, divided by commas', valueHint: 'URLS' },
    public: { type: 'boolean', description: 'A client that can keep no secret' },
    jwt: { type: 'boolean', description: 'Gives it JWTs as access tokens' },
    owner: { type: 'string', description: 'User to whom it belongs', default: 'admin', valueHint: 'NAME' },
    ...settingOptions,
    ...options,
  },
  run: ({ args }) =>
    change(args, { action: 'created', target: `client:${args.id ?? args.name}` }, async (administration, tenant) => {
      const facts = newClient({
        id: args.id ?? randomBytes(20).toString('base64url'),
        tenant,
        name: args.name,
        owner: args.owner,
        grantTypes: listOf(args.grants),
        redirectUris: listOf(args.redirect),
        isPublic: args.public === true,
        ...(args.jwt === true && { tokenType: 'JWT' as const }),
        ...settingsOf(args, administration),
      });
      const { client, secret } = await administration.clients.create(facts);
      return [{ id: client.id, secret: secret ?? '', name: client.name }];
    }),
});

const update = defineCommand({
  meta: {
    name: 'update',
    description:
      'Changes what is given of a client, and leaves the rest.\n\n' +
      'Example: millrace client update shop --skip-consent --audiences https://api.example --home ./home\n',
  },
  args: {
    ...idOption,
    name: { type: 'string', description: 'Another name', valueHint: 'NAME' },
    grants: { type: 'string', description: 'Grants, divided by commas', valueHint: 'NAMES' },
    redirect: { type: 'string', description: 'Addresses of redirection, divided by commas', valueHint: 'URLS' },
    ...settingOptions,
    ...options,
  },
  run: ({ args }) =>
    change(args, { action: 'updated', target: `client:${args.id}` }, async (administration, tenant) => {
      const client = await existing(administration, tenant, args.id);
      const changed: Client = {
        ...client,
        ...(args.name !== undefined && { name: args.name }),
        ...(args.grants !== undefined && { grantTypes: listOf(args.grants) }),
        ...(args.redirect !== undefined && { redirectUris: listOf(args.redirect) }),
        ...settingsOf(args, administration),
      };
      await administration.clients.update(changed);
      return [describeClient(changed)];
    }),
});

const list = defineCommand({
  meta: { name: 'list', description: 'Lists clients.\n\nExample: millrace client list --home ./home\n' },
  args: options,
  run: ({ args }) =>
    administer(args, async ({ clients }, tenant) =>
      (await clients.list(tenant)).map(({ id, name, owner, grantTypes, isActive }) => ({
        id,
        name,
        owner,
        grants: grantTypes.join(', '),
        active: isActive,
      })),
    ),
});

const show = defineCommand({
  meta: {
    name: 'show',
    description: 'Shows one client; its secret where it is kept readable.\n\nExample: millrace client show shop\n',
  },
  args: { ...idOption, ...options },
  run: ({ args }) =>
    administer(args, async (administration, tenant) => {
      const client = await existing(administration, tenant, args.id);
      return [{ ...describeClient(client), secret: (await administration.clients.secretOf(client)) ?? '' }];
    }),
});

const remove = defineCommand({
  meta: {
    name: 'delete',
    description: 'Removes a client and revokes its tokens.\n\nExample: millrace client delete shop --home ./home\n',
  },
  args: { ...idOption, ...options },
  run: ({ args }) =>
    change(args, { action: 'deleted', target: `client:${args.id}` }, async (administration, tenant) => {
      await administration.clients.delete(await existing(administration, tenant, args.id));
      return `removed ${args.id}`;
    }),
});

const setActive = (name: string, isActive: boolean, description: string) =>
  defineCommand({
    meta: { name, description: `${description}\n\nExample: millrace client ${name} shop --home ./home\n` },
    args: { ...idOption, ...options },
    run: ({ args }) =>
      change(
        args,
        { action: isActive ? 'activated' : 'deactivated', target: `client:${args.id}` },
        async (administration, tenant) => {
          await setClientActive(administration, await existing(administration, tenant, args.id), isActive);
          return `${args.id} is ${isActive ? '' : 'not '}active`;
        },
      ),
  });

const secret = defineCommand({
  meta: {
    name: 'secret',
    description: 'Gives a client another secret and shows it.\n\nExample: millrace client secret shop --home ./home\n',
  },
  args: { ...idOption, ...options },
  run: ({ args }) =>
    change(args, { action: 'changed secret', target: `client:${args.id}` }, async (administration, tenant) => {
      const client = await existing(administration, tenant, args.id);
      return [{ id: client.id, secret: await administration.clients.newSecret(client) }];
    }),
});

/** `millrace client …`: the clients of the authorization server. */
export const clientCommand = defineCommand({
  meta: { name: 'client', description: 'Clients of a home\n\nExample: millrace client list --home ./home' },
  subCommands: {
    create,
    update,
    list,
    show,
    delete: remove,
    activate: setActive('activate', true, 'Lets a client work again.'),
    deactivate: setActive('deactivate', false, 'Stops a client and revokes its tokens.'),
    secret,
  },
});

async function existing({ clients }: Administration, tenant: Tenant, id: string): Promise<Client> {
  const client = await clients.find(tenant, id);
  if (client) return client;
  throw new MillraceError({ code: 'MR_CLIENT_UNKNOWN', message: `There is no client "${id}" in ${tenant.domain}` });
}
