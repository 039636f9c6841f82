import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { KeySets } from '../keys/key-sets.ts';
import type { Client } from './client.ts';

/**
 * The keys that a client has registered, itself or by their address; undefined when it has none.
 *
 * @throws MillraceError `MR_KEY_SET`, or an error of `jose`, when they cannot be had
 */
export async function clientKeys(
  { jwks, jwksUri }: Pick<Client, 'jwks' | 'jwksUri'>,
  keySets: KeySets,
): Promise<JWTVerifyGetKey | undefined> {
  if (jwks) return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
  return jwksUri === undefined ? undefined : keySets.at(jwksUri);
}
