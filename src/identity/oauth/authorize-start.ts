import type { EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import { parametersOf, readParameters, type Parameters } from '../http/parameters.ts';
import { answerErrorToClient, answerOnErrorPage } from './authorize-errors.ts';
import { chooseRedirectUri, type RedirectChoice } from './authorize-redirect-uri.ts';
import { readAuthorizationRequest, type AuthorizationRequest } from './authorize-request.ts';
import type { BrowserServices } from './browser-services.ts';
import { parameterText } from './browser-request.ts';
import { isUsable, type Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { readIdTokenHint } from './id-token-hint.ts';
import { requestUriPrefix } from './par-store.ts';
import { readRequestObject } from './request-object.ts';
import { guessResponseMode, type ResponseRoute } from './response-modes.ts';
import type { OAuthServices } from './services.ts';

export type Started =
  | { readonly authorization: AuthorizationRequest; readonly client: Client; readonly answer?: undefined }
  | { readonly answer: EndpointAnswer };

/**
 * Reads an authorization request. First client and address: until the address has matched, no error goes anywhere but
 * to our own page (identity 2.3). Then the rest, whose errors the client hears.
 */
export async function startAuthorization(request: EndpointRequest, services: BrowserServices): Promise<Started> {
  let client: Client | undefined;
  let route: ResponseRoute | undefined;
  try {
    const { parameters: outer, repeated } = readLeniently(request);
    client = await findClient(request, outer, services);
    // What is wrong with a signed request is told to the client where the request itself names a good address.
    if (outer.has('request')) route = routeIfRegistered(request, client, outer);
    const { parameters, isPushed, isSigned } = repeated
      ? { parameters: outer, isPushed: false, isSigned: false }
      : await unfold(outer, client, services);
    route = undefined;
    const redirectUri = redirectUriOf(client, parameters.get('redirect_uri'));
    route = routeOf(request, { client, parameters, redirectUri });
    if (repeated) throw repeated;
    if (client.requiresPushedRequests && !isPushed) {
      throw new OAuthError('invalid_request', 'The application has to push its requests');
    }
    // A pushed request was looked at when it was pushed.
    if (client.requiresSignedRequests && !isSigned && !isPushed) throw unsignedRequest();
    return { authorization: await checkAuthorization({ client, parameters, redirectUri }, services), client };
  } catch (error) {
    if (route) return { answer: await answerErrorToClient(error, route, services) };
    if (!(error instanceof OAuthError)) throw error;
    return { answer: answerOnErrorPage(error, request, { ...services, application: client?.name }) };
  }
}

/** Checks everything behind client and address. @throws OAuthError that the client is told */
export function checkAuthorization(
  facts: { readonly client: Client; readonly parameters: Parameters; readonly redirectUri: string },
  services: OAuthServices,
): Promise<AuthorizationRequest> {
  return readAuthorizationRequest(facts, services, async (token) => {
    const hint = await readIdTokenHint(token, facts.client.tenant, services);
    if (!hint) throw new OAuthError('invalid_request', 'The id_token_hint is no ID token of this server');
    return hint.subject;
  });
}

/** @throws OAuthError for an address that does not belong to the client */
export function redirectUriOf(client: Client, given: string | undefined): string {
  const choice = chooseRedirectUri(client, given);
  if (choice.uri !== undefined) return choice.uri;
  throw redirectErrors[choice.failure]();
}

const redirectErrors: Readonly<Record<NonNullable<RedirectChoice['failure']>, () => OAuthError>> = {
  unregistered: () => new OAuthError('unauthorized_client', 'The application has no address to return to'),
  mismatch: () => new OAuthError('invalid_callback', 'The redirect_uri is not registered for the application'),
  ambiguous: () => new OAuthError('invalid_callback', 'The application has to name its redirect_uri'),
};

async function findClient(
  request: EndpointRequest,
  parameters: Parameters,
  { clients }: BrowserServices,
): Promise<Client> {
  const id = parameters.get('client_id');
  if (id === undefined) throw new OAuthError('invalid_client', 'The request has no client_id');
  const found = request.namesTenant ? await clients.find(request.tenant, id) : await clients.findAnywhere(id);
  if (!found) throw new OAuthError('invalid_client', 'The application is not known');
  if (!isUsable(found)) throw new OAuthError('invalid_client', 'The application is not active');
  if (found.grantTypes.length === 0) throw new OAuthError('unauthorized_client', 'The application has no grant');
  return found;
}

/** The error for a client whose requests have to be signed (RFC 9101 §10.5). */
export function unsignedRequest(): OAuthError {
  return new OAuthError('invalid_request', 'The application has to sign its requests');
}

interface Unfolded {
  readonly parameters: Parameters;
  readonly isPushed: boolean;
  readonly isSigned: boolean;
}

/** Puts a pushed request in the place of its reference (RFC 9126 §4), and a signed one in that of its object (RFC 9101). */
async function unfold(parameters: Parameters, client: Client, services: BrowserServices): Promise<Unfolded> {
  const { pushed } = services;
  const reference = parameters.get('request_uri');
  const object = parameters.get('request');
  if (object !== undefined) {
    if (reference !== undefined) throw new OAuthError('invalid_request', 'Expected request or request_uri, found both');
    return { parameters: await readRequestObject(object, client, services), isPushed: false, isSigned: true };
  }
  if (reference === undefined) return { parameters, isPushed: false, isSigned: false };
  if (!reference.startsWith(requestUriPrefix)) {
    throw new OAuthError('request_uri_not_supported', 'Only the request_uri of a pushed request is taken');
  }
  const values = await pushed.take(reference, client.id);
  if (!values) throw new OAuthError('invalid_request_uri', 'The request_uri is unknown, has ended or was used');
  return { parameters: parametersOf(values), isPushed: true, isSigned: false };
}

/** Repeated parameters are an error, which the client hears when its own parameters are not among them. */
function readLeniently(request: EndpointRequest): { readonly parameters: Parameters; readonly repeated?: OAuthError } {
  const text = parameterText(request);
  try {
    return { parameters: readParameters(text) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const all = new URLSearchParams(text);
    const isAmbiguous = ['client_id', 'redirect_uri'].some((name) => all.getAll(name).length > 1);
    if (isAmbiguous) throw error;
    return { parameters: parametersOf(new Map(all)), repeated: error };
  }
}

/** Where answers go by the parameters outside of a signed request; undefined when these name no good address. */
function routeIfRegistered(
  request: EndpointRequest,
  client: Client,
  parameters: Parameters,
): ResponseRoute | undefined {
  const given = parameters.get('redirect_uri');
  const { uri } = given === undefined ? {} : chooseRedirectUri(client, given);
  return uri === undefined ? undefined : routeOf(request, { client, parameters, redirectUri: uri });
}

function routeOf(
  { method }: EndpointRequest,
  facts: { readonly client: Client; readonly parameters: Parameters; readonly redirectUri: string },
): ResponseRoute {
  const { client, parameters, redirectUri } = facts;
  return {
    client,
    redirectUri,
    mode: guessResponseMode(parameters.get('response_mode'), parameters.get('response_type')),
    state: parameters.get('state'),
    isAfterForm: method === 'POST',
  };
}
