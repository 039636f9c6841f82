import { MillraceError } from '#errors';
import {
  defineOperation,
  jsonResponse,
  type Operation,
  type OperationFacts,
  type RestApi,
  type SchemaBuilder,
  type AuditedCall,
  type AuditedChange,
  pick,
} from '#rest';
import { createAdministrativeApi, type AdministrativeApiParts } from '../http/administrative-api.ts';
import { tenantOfRequest } from '../http/tenant-site.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type * as clientMetadata from './client-metadata.ts';
import {
  describeSettings,
  divideSettings,
  settingFacts,
  settingsShape,
  type ClientSettings,
} from './client-settings.ts';
import { newClient, newCredential } from './client-store.ts';
import type { Client } from './client.ts';
import { setClientActive } from './set-client-active.ts';
import type { OAuthServices } from './services.ts';

export interface ClientsApiParts
  extends
    AdministrativeApiParts,
    Pick<OAuthServices, 'clients' | 'tokens' | 'grants' | 'settings' | 'own' | 'scopes' | 'readStatement'> {}

type Body = Readonly<Record<string, unknown>> & ClientSettings;
type Params = Readonly<Record<string, string>>;

const path = '/clients';
const one = `${path}/{id}`;
const scope = {
  view: 'internal_application_mgt_view',
  create: 'internal_application_mgt_create',
  update: 'internal_application_mgt_update',
  delete: 'internal_application_mgt_delete',
} as const;

/** Loaded with the first request, since nothing else needs a validator. */
const loadMetadata = (): Promise<typeof clientMetadata> => import('./client-metadata.ts');

const clientSchema = (z: SchemaBuilder): ReturnType<SchemaBuilder['object']> =>
  z.looseObject({
    client_id: z.string(),
    client_name: z.string(),
    client_secret: z.string().optional(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    ext_application_owner: z.string(),
    active: z.boolean(),
    ...settingsShape(z),
  });
/** The members of registration that most clients have, and the settings; `readMetadata` checks all of the former. */
const bodySchema = (z: SchemaBuilder) =>
  z.looseObject({
    client_name: z.string(),
    redirect_uris: z.array(z.string()).optional(),
    grant_types: z.array(z.string()).optional(),
    token_endpoint_auth_method: z.string().optional(),
    ...settingsShape(z),
  });

/**
 * The administration of a tenant's clients, with the metadata of dynamic registration (RFC 7591, identity 2.10). Other
 * than there, administrators manage the clients of everybody, and their settings; a secret is shown when it is made and
 * never again.
 */
export function createClientsApi(parts: ClientsApiParts): RestApi {
  const { clients, tokens, scopes } = parts;
  const existing = async (tenant: Tenant, id = ''): Promise<Client> => {
    const client = await clients.find(tenant, id);
    if (client) return client;
    throw new MillraceError({ code: 'MR_CLIENT_UNKNOWN', status: 404, message: `There is no client "${id}"` });
  };
  const shown = async (client: Client, secret?: string): Promise<unknown> => {
    const { describeClient } = await loadMetadata();
    return { ...describeClient(client, secret), ...describeSettings(client), active: client.isActive };
  };
  /** What the body of a request says of a client: everything of its metadata, and the settings that it names. */
  const factsOf = async (
    body: Body,
    tenant: Tenant,
  ): Promise<{ facts: Partial<Client>; metadata: clientMetadata.ClientMetadata }> => {
    const { readMetadata, clientFacts } = await loadMetadata();
    const { settings, metadata: given } = divideSettings(body);
    scopes.validators.check(settings.scope_validators ?? []);
    const metadata = await readMetadata(given, tenant, parts);
    return { facts: { ...clientFacts(metadata), ...settingFacts(settings) }, metadata };
  };
  const acting = (verb: string, isActive: boolean, summary: string): Operation =>
    defineOperation({
      id: `${verb}Client`,
      method: 'POST',
      path: `${one}/${verb}`,
      summary,
      scope: scope.update,
      responses: { 200: { description: 'The client', schema: clientSchema } },
      audited: (call) => changeOfClient(isActive ? 'enabled' : 'disabled', call),
      async handle({ request, path: { id } }) {
        const client = await existing(tenantOfRequest(request), id);
        return shown(await setClientActive({ clients, tokens }, client, isActive));
      },
    });
  const writing = (
    facts: Omit<OperationFacts<Params, Params, Body>, 'body' | 'handle'>,
    handle: OperationFacts<Params, Params, Body>['handle'],
  ): Operation => defineOperation<Params, Params, Body>({ ...facts, body: bodySchema, handle });

  const operations = [
    defineOperation({
      id: 'listClients',
      method: 'GET',
      path,
      summary: 'Lists the clients of the tenant',
      scope: scope.view,
      responses: {
        200: { description: 'The clients', schema: (z) => z.object({ clients: z.array(clientSchema(z)) }) },
      },
      async handle({ request }) {
        const found = await clients.list(tenantOfRequest(request));
        return { clients: await Promise.all(found.map((client) => shown(client))) };
      },
    }),
    writing(
      {
        id: 'createClient',
        method: 'POST',
        path,
        summary: 'Registers a client and shows its secret',
        scope: scope.create,
        responses: { 201: { description: 'The client with its secret', schema: clientSchema } },
        audited: (call) => changeOfClient('created', call),
      },
      async ({ request, body, principal }) => {
        const { facts, metadata } = await factsOf(body, tenantOfRequest(request));
        const { client, secret } = await clients.create(
          newClient({
            ...facts,
            name: metadata.client_name,
            id: metadata.ext_param_client_id ?? newCredential(),
            tenant: tenantOfRequest(request),
            owner: metadata.ext_application_owner ?? principal?.name ?? '',
          }),
          metadata.ext_param_client_secret,
        );
        return jsonResponse(await shown(client, secret), 201);
      },
    ),
    defineOperation({
      id: 'getClient',
      method: 'GET',
      path: one,
      summary: 'Shows a client without its secret',
      scope: scope.view,
      responses: { 200: { description: 'The client', schema: clientSchema } },
      handle: async ({ request, path: { id } }) => shown(await existing(tenantOfRequest(request), id)),
    }),
    writing(
      {
        id: 'replaceClient',
        method: 'PUT',
        path: one,
        summary: 'Replaces the metadata of a client; id, secret, owner and the settings that are not given stay',
        scope: scope.update,
        responses: { 200: { description: 'The client', schema: clientSchema } },
        audited: (call) => changeOfClient('updated', call),
      },
      async ({ request, body, path: { id } }) => {
        const client = await existing(tenantOfRequest(request), id);
        const changed: Client = { ...client, ...(await factsOf(body, client.tenant)).facts };
        await clients.update(changed);
        return shown(changed);
      },
    ),
    defineOperation({
      id: 'deleteClient',
      method: 'DELETE',
      path: one,
      summary: 'Removes a client and revokes its tokens',
      scope: scope.delete,
      responses: { 204: { description: 'It is gone' } },
      audited: (call) => changeOfClient('deleted', call),
      handle: async ({ request, path: { id } }) => clients.delete(await existing(tenantOfRequest(request), id)),
    }),
    acting('activate', true, 'Lets a client work again'),
    acting('deactivate', false, 'Stops a client and revokes its tokens'),
    defineOperation({
      id: 'renewClientSecret',
      method: 'POST',
      path: `${one}/secret`,
      summary: 'Gives a client another secret and shows it',
      scope: scope.update,
      responses: { 200: { description: 'The client with its secret', schema: clientSchema } },
      audited: (call) => changeOfClient('updated', call),
      async handle({ request, path: { id } }) {
        const client = await existing(tenantOfRequest(request), id);
        return shown(client, await clients.newSecret(client));
      },
    }),
  ];
  return createAdministrativeApi('Clients', operations, parts);
}

/** What the audit says of a change of a client; its secret is none of it. */
function changeOfClient(action: string, { path, body, url }: AuditedCall<unknown, unknown, unknown>): AuditedChange {
  const { id, ...facts } = {
    ...pick(path, 'id'),
    ...pick(body, 'client_name', 'grant_types', 'redirect_uris', 'scope'),
  };
  const isSecret = url.pathname.endsWith('/secret');
  const info = { ...(id !== undefined && { id }), ...facts, ...(isSecret && { changed: 'secret' }) };
  return { action, type: 'oauth_client', info };
}
