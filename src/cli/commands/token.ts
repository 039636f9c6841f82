import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { findPair, newClient, type Administration, type Client, type Tenant } from '#identity';
import { administrationOptions, change, tenantOption, type Rows } from '../administration.ts';
import type { CommandChange } from '../audit-file.ts';

/** The client that is made for tokens without one. */
const ownClient = 'millrace-cli';

/** `millrace token`: a token in one line. */
export const tokenCommand = defineCommand({
  meta: {
    name: 'token',
    description:
      'Prints an access token of a client; without a client, of one of its own that is made when needed.\n\n' +
      'Example: curl -H "Authorization: Bearer $(millrace token --home ./home)" https://localhost:9443/…\n',
  },
  args: {
    client: { type: 'string', description: 'Id of the client', valueHint: 'ID' },
    revoke: { type: 'string', description: 'Revokes this token, and what came with it', valueHint: 'TOKEN' },
    scope: { type: 'string', description: 'Scopes, divided by blanks', default: '', valueHint: 'SCOPES' },
    ...administrationOptions,
    ...tenantOption,
  },
  run: ({ args }) =>
    change(args, changeOf(args), async (administration, tenant) =>
      args.revoke === undefined ? issue(args, administration, tenant) : revoke(administration, tenant, args.revoke),
    ),
});

interface TokenArguments {
  readonly client?: string | undefined;
  readonly revoke?: string | undefined;
  readonly scope: string;
  readonly output: string;
}

/** The value of a token stays out of the record. */
function changeOf({ client, revoke: value }: TokenArguments): CommandChange {
  return value === undefined
    ? { action: 'issued', target: `token of ${client ?? ownClient}` }
    : { action: 'revoked', target: 'token' };
}

async function issue(args: TokenArguments, administration: Administration, tenant: Tenant): Promise<Rows | string> {
  const client = await clientOf(administration, tenant, args.client);
  const scopes = args.scope.split(' ').filter((scope) => scope !== '');
  const { accessToken, record } = await administration.issueFor(client, scopes);
  if (args.output !== 'json') return accessToken;
  return [
    {
      access_token: accessToken,
      client: client.id,
      scope: record.scopes.join(' '),
      expires: new Date(record.issuedAt + record.accessLifetime).toISOString(),
    },
  ];
}

async function revoke({ tokens }: Administration, tenant: Tenant, token: string): Promise<string> {
  const found = await findPair(token, undefined, { tokens });
  if (!found || found.record.tenantId !== tenant.id) {
    throw new MillraceError({ code: 'MR_TOKEN_UNKNOWN', message: `There is no such token in ${tenant.domain}` });
  }
  await tokens.revoke(found);
  return `revoked a token of ${found.record.clientId}`;
}

async function clientOf(administration: Administration, tenant: Tenant, id: string | undefined): Promise<Client> {
  const wanted = id ?? (tenant.id < 0 ? ownClient : `${ownClient}-${tenant.domain}`);
  const found = await administration.clients.find(tenant, wanted);
  if (found) return found;
  if (id !== undefined) {
    throw new MillraceError({ code: 'MR_CLIENT_UNKNOWN', message: `There is no client "${id}" in ${tenant.domain}` });
  }
  const facts = newClient({ id: wanted, tenant, name: 'Command line', owner: 'admin' });
  return (await administration.clients.create(facts)).client;
}
