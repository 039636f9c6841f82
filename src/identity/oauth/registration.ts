import { getHeader } from '#message';
import { emptyAnswer, jsonAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import type { Caller } from './callers.ts';
import { newClient, newCredential } from './client-store.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { guarded, type GuardParts } from './guarded.ts';
import type * as clientMetadata from './client-metadata.ts';
import { tenantUrl } from './issuer.ts';
import { newRegistrationToken, ownToken } from './registration-token.ts';
import type { OAuthServices } from './services.ts';

/** Base path of the registration of clients (identity 2.10). */
export const registrationPath = '/api/identity/oauth2/dcr/v1.1/register';

export interface RegistrationParts
  extends Pick<OAuthServices, 'clients' | 'grants' | 'settings' | 'own' | 'readStatement'>, GuardParts {}

/** The scope that each method needs (identity 2.10). */
const scopes: Readonly<Record<string, string>> = {
  POST: 'internal_application_mgt_create',
  GET: 'internal_application_mgt_view',
  PUT: 'internal_application_mgt_update',
  DELETE: 'internal_application_mgt_delete',
};

/** Loaded with the first request, since nothing else needs a validator. */
const loadMetadata = (): Promise<typeof clientMetadata> => import('./client-metadata.ts');

/** Dynamic registration of clients: RFC 7591 and 7592 as the original offers them (identity 2.10). */
export function registrationEndpoints(parts: RegistrationParts): readonly Endpoint[] {
  return [
    {
      path: registrationPath,
      methods: ['POST', 'GET'],
      handle: guarded(parts, scopes, (request, registrar) =>
        request.method === 'GET' ? findByName(request, parts) : register(request, registrar, parts),
      ),
    },
    {
      path: `${registrationPath}/*`,
      methods: ['GET', 'PUT', 'DELETE'],
      handle: (request) => manageGuarded(request, parts),
    },
  ];
}

async function register(
  request: EndpointRequest,
  registrar: Caller,
  parts: RegistrationParts,
): Promise<EndpointAnswer> {
  const { clients } = parts;
  const { readMetadata, clientFacts, describeClient } = await loadMetadata();
  const metadata = await readMetadata(readJson(request), request.tenant, parts);
  const { token, hash: registrationTokenHash } = newRegistrationToken();
  const client = newClient({
    ...clientFacts(metadata),
    registrationTokenHash,
    id: metadata.ext_param_client_id ?? newCredential(),
    tenant: request.tenant,
    owner: metadata.ext_application_owner ?? registrar.name,
  });
  const { secret } = await clients.create(client, metadata.ext_param_client_secret).catch(refuseDuplicate);
  return jsonAnswer({ ...describeClient(client, secret), ...access(client, token, parts) }, 201);
}

async function findByName({ query, tenant }: EndpointRequest, { clients }: RegistrationParts): Promise<EndpointAnswer> {
  const name = readParameters(query).get('client_name');
  const { describeClient } = await loadMetadata();
  const found = name === undefined ? undefined : (await clients.list(tenant)).find((client) => client.name === name);
  return found ? jsonAnswer(describeClient(found, await clients.secretOf(found))) : emptyAnswer(401);
}

/** Who manages a registration: its owner, or the client with the token that it got for that. */
interface Management {
  readonly client: Client | undefined;
  readonly registrar: Caller;
  /** Of the client; undefined for its owner. */
  readonly token: string | undefined;
}

async function manageGuarded(request: EndpointRequest, parts: RegistrationParts): Promise<EndpointAnswer> {
  const { tenant, path } = request;
  const client = await parts.clients.find(tenant, decodeURIComponent(path.slice(registrationPath.length + 1)));
  const token = client && ownToken(client, request);
  const itself = client && { tenant, name: client.id, hasScope: () => true };
  const findCaller = token === undefined ? parts.findCaller : async () => itself;
  const handle = guarded({ ...parts, findCaller }, scopes, (_, registrar) =>
    manage(request, { client, registrar, token }, parts),
  );
  return handle(request);
}

async function manage(
  request: EndpointRequest,
  { client, registrar, token }: Management,
  parts: RegistrationParts,
): Promise<EndpointAnswer> {
  const { clients } = parts;
  if (!client) return emptyAnswer(401);
  if (token === undefined && client.owner !== registrar.name) return emptyAnswer(403);
  if (request.method === 'DELETE') {
    await clients.delete(client);
    return emptyAnswer(204);
  }
  const { readMetadata, clientFacts, describeClient } = await loadMetadata();
  const shown = async (each: Client): Promise<EndpointAnswer> =>
    jsonAnswer({ ...describeClient(each, await clients.secretOf(each)), ...access(each, token, parts) });
  if (request.method === 'GET') return shown(client);
  const metadata = await readMetadata(readJson(request), client.tenant, parts);
  if (metadata['client_id'] !== undefined && metadata['client_id'] !== client.id) {
    throw new OAuthError('invalid_client_metadata', 'client_id: expected that of the address');
  }
  const changed: Client = { ...client, ...clientFacts(metadata) };
  await clients.update(changed);
  return shown(changed);
}

/** Where and with what a client manages its registration (RFC 7592 §3); the token is known to its holder alone. */
function access(
  { id, tenant }: Client,
  token: string | undefined,
  { settings }: RegistrationParts,
): Readonly<Record<string, unknown>> {
  if (token === undefined) return {};
  const uri = `${tenantUrl(settings, tenant)}${registrationPath}/${encodeURIComponent(id)}`;
  return { registration_access_token: token, registration_client_uri: uri };
}

function readJson({ headers, body }: EndpointRequest): unknown {
  const type = getHeader(headers, 'Content-Type') ?? '';
  if (!/^application\/json\b/i.test(type)) {
    throw new OAuthError('invalid_client_metadata', 'Expected a body of type application/json');
  }
  try {
    return JSON.parse(body) as unknown;
  } catch (cause) {
    throw new OAuthError('invalid_client_metadata', 'The body is no JSON text', { cause });
  }
}

function refuseDuplicate(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'MR_CLIENT_EXISTS') throw error;
  throw new OAuthError('invalid_client_metadata', (error as Error).message, { cause: error });
}
