import { jsonAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import type { Caller } from './callers.ts';
import { newClient, newCredential } from './client-store.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { guarded } from './guarded.ts';
import type { RegistrationParts } from './registration.ts';

/** Versions of the path that clients of the original know. */
const versions = ['v0.14', 'v0.15', 'v0.16', 'v0.17'] as const;

/** Registration of clients as API management's own tools call it (identity 2.10). */
export function legacyRegistrationEndpoints(parts: RegistrationParts): readonly Endpoint[] {
  const needed = { POST: 'internal_application_mgt_create' };
  return versions.map((version) => ({
    path: `/client-registration/${version}/register`,
    methods: ['POST'],
    handle: guarded(parts, needed, (request, caller) => register(request, caller, parts)),
  }));
}

/** A client of the caller with the name is given again, with its secret where that is readable. */
async function register(
  request: EndpointRequest,
  caller: Caller,
  { clients, grants }: RegistrationParts,
): Promise<EndpointAnswer> {
  const facts = readFacts(request.body);
  const { tenant } = request;
  const known = (await clients.list(tenant)).find(({ name }) => name === facts.name);
  if (known && known.owner !== caller.name) {
    throw new OAuthError('invalid_client_metadata', `clientName: "${facts.name}" belongs to somebody else`);
  }
  if (known) return jsonAnswer(describe(known, await clients.secretOf(known)));
  const client = newClient({
    id: newCredential(),
    tenant,
    name: facts.name,
    owner: facts.owner ?? caller.name,
    grantTypes: facts.grantTypes.filter((name) => name === 'implicit' || grants.has(name)),
    redirectUris: facts.callbacks,
    isSaas: facts.isSaas,
  });
  const { secret } = await clients.create(client);
  return jsonAnswer(describe(client, secret));
}

interface Facts {
  readonly name: string;
  readonly owner: string | undefined;
  readonly callbacks: readonly string[];
  readonly grantTypes: readonly string[];
  readonly isSaas: boolean;
}

function readFacts(body: string): Facts {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new OAuthError('invalid_client_metadata', 'The body is no JSON text', { cause });
  }
  const given = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | undefined => {
    const value = given[name];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw new OAuthError('invalid_client_metadata', `${name}: expected a text`);
    return value;
  };
  const name = text('clientName');
  if (name === undefined) throw new OAuthError('invalid_client_metadata', 'clientName: expected a text');
  const callback = text('callbackUrl');
  if (callback !== undefined && !callback.startsWith('regexp=') && !URL.canParse(callback)) {
    throw new OAuthError('invalid_redirect_uri', 'callbackUrl: expected an absolute URL');
  }
  return {
    name,
    owner: text('owner'),
    callbacks: callback === undefined ? [] : [callback],
    grantTypes: (text('grantType') ?? 'client_credentials').split(/\s+/),
    isSaas: given['saasApp'] === true,
  };
}

function describe(client: Client, secret: string | undefined): Readonly<Record<string, unknown>> {
  const attributes = { grant_types: client.grantTypes.join(' '), redirect_uris: client.redirectUris[0] ?? '' };
  return {
    clientId: client.id,
    clientName: client.name,
    callBackURL: client.redirectUris[0] ?? '',
    clientSecret: secret ?? null,
    isSaasApplication: client.isSaas,
    appOwner: client.owner,
    jsonString: JSON.stringify(attributes),
    jsonAppAttribute: '{}',
    applicationUUID: null,
    tokenType: (client.tokenType ?? 'Default').toUpperCase(),
  };
}
