import { createHash, createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { MillraceError } from '#errors';
import type { SigningKey } from './signing-keys.ts';

/**
 * A signing key of a private key in PEM, with its certificate if it has one.
 *
 * @throws MillraceError `MR_SIGNING_KEY` for a key that is neither RSA of 2048 bits or more nor P-256
 */
export function signingKeyOf(privateKeyPem: string, certificatePem: string | undefined): SigningKey {
  const privateKey = createPrivateKey(privateKeyPem);
  const publicKey = createPublicKey(privateKey);
  const algorithm = algorithmOf(privateKey);
  return {
    id: keyId(publicKey, algorithm),
    algorithm,
    privateKey,
    publicKey,
    certificate: certificatePem === undefined ? undefined : new X509Certificate(certificatePem),
  };
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): SigningKey['algorithm'] {
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048) return 'RS256';
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256';
  throw new MillraceError({
    code: 'MR_SIGNING_KEY',
    message: `Tokens are signed with RSA keys of at least 2048 bits or with P-256 keys; this one is ${type ?? 'unknown'} ${details?.modulusLength ?? details?.namedCurve ?? ''}`,
  });
}

/** `kid` as the original forms it: the thumbprint of the key and the algorithm (identity 2.7). */
function keyId(publicKey: KeyObject, algorithm: string): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return `${createHash('sha256').update(der).digest('base64url')}_${algorithm}`;
}
