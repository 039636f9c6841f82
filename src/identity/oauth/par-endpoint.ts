import { jsonAnswer, type Endpoint } from '../http/endpoint.ts';
import { parametersOf } from '../http/parameters.ts';
import { checkAuthorization, redirectUriOf, unsignedRequest } from './authorize-start.ts';
import type { BrowserServices } from './browser-services.ts';
import { parametersOfRequest } from './browser-request.ts';
import { authenticateClient } from './client-authentication.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { pushedLifetime } from './par-store.ts';
import { readRequestObject } from './request-object.ts';

/** What belongs to the proof of the client, and not to its authorization request. */
const credentials: ReadonlySet<string> = new Set(['client_secret', 'client_assertion', 'client_assertion_type']);

/** `/oauth2/par` (RFC 9126, identity 2.9): the same checks as at the authorization endpoint, before any browser. */
export function pushedRequestEndpoint(services: BrowserServices): Endpoint {
  return {
    path: '/oauth2/par',
    methods: ['POST'],
    async handle(request) {
      const given = parametersOfRequest(request);
      const { client } = await authenticateClient({ ...request, parameters: given }, services);
      if (given.has('request_uri')) {
        throw new OAuthError('invalid_request', 'A pushed request cannot refer to another one by request_uri');
      }
      const object = given.get('request');
      if (client.requiresSignedRequests && object === undefined) throw unsignedRequest();
      const pushed = object === undefined ? given : await readRequestObject(object, client, services);
      const kept = new Map([...pushed.entries()].filter(([name]) => !credentials.has(name)));
      kept.set('client_id', client.id);
      const parameters = parametersOf(kept);
      const redirectUri = redirectUriFor(client, parameters.get('redirect_uri'));
      await checkAuthorization({ client, parameters, redirectUri }, services);
      const reference = await services.pushed.add(client.id, kept);
      return jsonAnswer({ request_uri: reference, expires_in: pushedLifetime / 1000 }, 201);
    },
  };
}

/** `invalid_callback` is a word of our own pages; clients know `invalid_request` (RFC 9126 §2.3). */
function redirectUriFor(client: Client, given: string | undefined): string {
  try {
    return redirectUriOf(client, given);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new OAuthError('invalid_request', error.message, { cause: error });
  }
}
