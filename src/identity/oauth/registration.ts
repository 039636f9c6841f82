import { getHeader } from '#message';
import { emptyAnswer, jsonAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import type { Caller } from './callers.ts';
import { newClient, newCredential } from './client-store.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { guarded, type GuardParts } from './guarded.ts';
import type * as clientMetadata from './client-metadata.ts';
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
      handle: guarded(parts, scopes, (request, registrar) => manage(request, registrar, parts)),
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
  const client = newClient({
    ...clientFacts(metadata),
    id: metadata.ext_param_client_id ?? newCredential(),
    tenant: request.tenant,
    owner: metadata.ext_application_owner ?? registrar.name,
  });
  const { secret } = await clients.create(client, metadata.ext_param_client_secret).catch(refuseDuplicate);
  return jsonAnswer(describeClient(client, secret), 201);
}

async function findByName({ query, tenant }: EndpointRequest, { clients }: RegistrationParts): Promise<EndpointAnswer> {
  const name = readParameters(query).get('client_name');
  const { describeClient } = await loadMetadata();
  const found = name === undefined ? undefined : (await clients.list(tenant)).find((client) => client.name === name);
  return found ? jsonAnswer(describeClient(found, await clients.secretOf(found))) : emptyAnswer(401);
}

async function manage(request: EndpointRequest, registrar: Caller, parts: RegistrationParts): Promise<EndpointAnswer> {
  const { clients } = parts;
  const id = decodeURIComponent(request.path.slice(registrationPath.length + 1));
  const client = await clients.find(request.tenant, id);
  if (!client) return emptyAnswer(401);
  if (client.owner !== registrar.name) return emptyAnswer(403);
  if (request.method === 'DELETE') {
    await clients.delete(client);
    return emptyAnswer(204);
  }
  const { readMetadata, clientFacts, describeClient } = await loadMetadata();
  if (request.method === 'GET') return jsonAnswer(describeClient(client, await clients.secretOf(client)));
  const metadata = await readMetadata(readJson(request), client.tenant, parts);
  const changed: Client = { ...client, ...clientFacts(metadata) };
  await clients.update(changed);
  return jsonAnswer(describeClient(changed, await clients.secretOf(changed)));
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
