import type { Grant } from './grant.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';

/** What an authorization request may ask for, in the order in which it is announced (identity 2.1). */
export const responseTypes = [
  'code',
  'token',
  'id_token',
  'id_token token',
  'code token',
  'code id_token',
  'code id_token token',
  'none',
] as const;

/** A type of the list, its words in the list's order. `device` is what an entered user code stands for. */
export type ResponseType = (typeof responseTypes)[number] | 'device';

export function gives(type: ResponseType, what: 'code' | 'token' | 'id_token'): boolean {
  return type.split(' ').includes(what);
}

/**
 * Reads `response_type`, whose words may come in any order, and checks that server and client have the grants for it.
 *
 * @throws OAuthError `invalid_request`, `unsupported_response_type`, `unauthorized_client`
 */
export function readResponseType(
  given: string | undefined,
  client: Client,
  grants: ReadonlyMap<string, Grant>,
): ResponseType {
  if (given === undefined) throw new OAuthError('invalid_request', 'Missing response_type parameter value');
  const words = given.split(' ').filter((word) => word !== '');
  const sorted = words.toSorted().join(' ');
  const type = responseTypes.find((known) => known.split(' ').toSorted().join(' ') === sorted);
  const hasCodes = grants.has('authorization_code');
  if (type === undefined || (gives(type, 'code') && !hasCodes)) {
    throw new OAuthError('unsupported_response_type', 'The response type is not offered');
  }
  const lacking = neededGrants(type).find((name) => !client.grantTypes.includes(name));
  if (lacking !== undefined) {
    throw new OAuthError('unauthorized_client', `The client is not registered for the grant ${lacking}`);
  }
  return type;
}

/** OpenID Connect Registration 2: what comes by the browser alone needs the grant `implicit`. */
function neededGrants(type: ResponseType): readonly string[] {
  return [
    ...(gives(type, 'code') ? ['authorization_code'] : []),
    ...(gives(type, 'token') || gives(type, 'id_token') ? ['implicit'] : []),
  ];
}
