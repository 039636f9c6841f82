import { createHash, type KeyObject } from 'node:crypto';
import { createLocalJWKSet, exportJWK, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { KeySets } from '../keys/key-sets.ts';
import type { IdentityProvider } from './provider.ts';

/** The keys with which a provider may have signed, none when it has none: chosen by `kid` and thumbprint of the header. */
export async function verificationKeys(
  { jwksUri, certificates, keys }: IdentityProvider,
  keySets: KeySets,
): Promise<JWTVerifyGetKey | undefined> {
  if (jwksUri !== undefined) return keySets.at(jwksUri);
  if (certificates.length === 0 && keys.length === 0) return undefined;
  const ofCertificates = await Promise.all(
    certificates.map(async ({ raw, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      'x5t#S256': createHash('sha256').update(raw).digest('base64url'),
      x5t: createHash('sha1').update(raw).digest('base64url'),
    })),
  );
  const named = await Promise.all(keys.map(async ({ id, key }) => ({ ...(await exportJWK(key)), kid: id })));
  const set: JSONWebKeySet = { keys: [...ofCertificates, ...named] };
  return async (header, token) => {
    // Certificates have no key ids: with the only one of its kind, the id of the header says nothing.
    const { x5t, 'x5t#S256': x5tS256 } = header as { readonly x5t?: string; readonly 'x5t#S256'?: string };
    const fitting = set.keys.filter(
      (key) =>
        (x5tS256 === undefined || key['x5t#S256'] === undefined || key['x5t#S256'] === x5tS256) &&
        (x5t === undefined || key.x5t === undefined || key.x5t === x5t),
    );
    const { kid: _, ...rest } = header;
    const hasIds = fitting.some(({ kid }) => kid !== undefined);
    return createLocalJWKSet({ keys: fitting })(hasIds ? header : rest, token);
  };
}

/** The public keys against which XML signatures of a provider are checked. */
export function signatureKeys({ certificates, keys }: IdentityProvider): readonly KeyObject[] {
  return [...certificates.map(({ publicKey }) => publicKey), ...keys.map(({ key }) => key)];
}
