import { getAllHeaders, type HeaderList } from '#message';
import type { Parameters } from '../http/parameters.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { isUsable, type Client, type ClientAuthentication, type Clients } from './client.ts';
import { OAuthError } from './errors.ts';

/** A request whose client has to be known. */
export interface ClientRequest {
  readonly tenant: Tenant;
  /** True when the path named the tenant: then clients of other tenants are unknown. */
  readonly namesTenant: boolean;
  readonly headers: HeaderList;
  readonly parameters: Parameters;
}

/** A client that has proven who it is, or a public one that has said so. */
export interface AuthenticatedClient {
  readonly client: Client;
  readonly method: ClientAuthentication;
}

/** Checks a client's own signed statement (RFC 7523 §2.2); throws an `OAuthError` when it is not good. */
export type AssertionCheck = (assertion: string, request: ClientRequest) => Promise<Client>;

export interface AuthenticationParts {
  readonly clients: Clients;
  readonly checkAssertion?: AssertionCheck;
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

interface Credentials {
  readonly method: ClientAuthentication;
  readonly id: string;
  /** Secrets to try; the raw pair follows the decoded one. */
  readonly pairs: readonly (readonly [id: string, secret: string])[];
}

/**
 * Finds out which client calls (identity 2.5). Unknown clients and wrong secrets get the same answer.
 *
 * @throws OAuthError `invalid_request` for several methods at once, `invalid_client` otherwise
 */
export async function authenticateClient(
  request: ClientRequest,
  { clients, checkAssertion }: AuthenticationParts,
): Promise<AuthenticatedClient> {
  const { parameters } = request;
  const assertion = parameters.get('client_assertion');
  if (assertion !== undefined) {
    if (parameters.get('client_assertion_type') !== assertionType || !checkAssertion) {
      throw new OAuthError('invalid_client', `Expected the client_assertion_type ${assertionType}`);
    }
    refuseSeveral(request, ['Authorization', 'client_secret']);
    return admitted(await checkAssertion(assertion, request), 'private_key_jwt');
  }
  const credentials = readCredentials(request);
  const find = async (id: string): Promise<Client | undefined> =>
    request.namesTenant ? clients.find(request.tenant, id) : clients.findAnywhere(id);
  if (credentials.method === 'none') {
    const client = await find(credentials.id);
    if (!client?.isPublic) throw wrongCredentials();
    return admitted(client, 'none');
  }
  for (const [id, secret] of credentials.pairs) {
    const client = await find(id);
    if (client && (await clients.hasSecret(client, secret))) {
      return admitted(client, credentials.method);
    }
  }
  throw wrongCredentials();
}

function readCredentials(request: ClientRequest): Credentials {
  const { headers, parameters } = request;
  const given = getAllHeaders(headers, 'Authorization');
  const [authorization] = given;
  if (given.length > 1) throw new OAuthError('invalid_request', 'The request has several Authorization headers');
  if (authorization !== undefined) {
    if (parameters.has('client_secret')) {
      throw new OAuthError('invalid_request', 'Credentials stand in the header and in the body; use one of them');
    }
    return readBasic(authorization, parameters.get('client_id'));
  }
  const id = parameters.get('client_id');
  if (id === undefined) throw new OAuthError('invalid_client', 'Client ID not found in the request.');
  const secret = parameters.get('client_secret');
  if (secret === undefined) return { method: 'none', id, pairs: [] };
  return { method: 'client_secret_post', id, pairs: [[id, secret]] };
}

/** RFC 6749 §2.3.1: both parts are form-encoded; clients of the original send them raw, so that is tried next. */
function readBasic(authorization: string, bodyId: string | undefined): Credentials {
  const match = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization);
  const text = match ? Buffer.from(match[1] ?? '', 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 1) throw new OAuthError('invalid_client', 'Expected HTTP Basic credentials of a client');
  const raw = [text.slice(0, colon), text.slice(colon + 1)] as const;
  const decoded = [decode(raw[0]), decode(raw[1])] as const;
  const pairs = decoded[0] === raw[0] && decoded[1] === raw[1] ? [raw] : [decoded, raw];
  if (bodyId !== undefined && !pairs.some(([id]) => id === bodyId)) {
    throw new OAuthError('invalid_request', 'The client_id of the body is not that of the header');
  }
  return { method: 'client_secret_basic', id: decoded[0], pairs };
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // What is not encoded at all is compared as it came.
    return text;
  }
}

/** Refuses clients that are switched off, and methods other than the one that a client has pinned (identity 2.5). */
function admitted(client: Client, method: ClientAuthentication): AuthenticatedClient {
  if (!isUsable(client)) {
    throw new OAuthError('invalid_client', 'The application is not active');
  }
  if (client.authentication !== undefined && client.authentication !== method) {
    throw new OAuthError('invalid_client', `The client has to authenticate by ${client.authentication}`);
  }
  return { client, method };
}

function refuseSeveral(
  { headers, parameters }: ClientRequest,
  names: readonly [header: string, parameter: string],
): void {
  if (getAllHeaders(headers, names[0]).length > 0 || parameters.has(names[1])) {
    throw new OAuthError('invalid_request', 'The request has several kinds of client credentials');
  }
}

function wrongCredentials(): OAuthError {
  return new OAuthError('invalid_client', 'Client Authentication failed.');
}
