import { constants, privateDecrypt, publicEncrypt } from 'node:crypto';
import { MillraceError } from '#errors';

/** The transformation of the original's cipher tool when none is named. */
export const defaultTransformation = 'RSA/ECB/OAEPwithSHA1andMGF1Padding';

interface Padding {
  readonly padding: number;
  readonly oaepHash?: string;
}

/** Java names of the transformations, lower-cased and without their separators. */
const paddings: Readonly<Record<string, Padding>> = {
  oaepwithsha1andmgf1padding: { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
  oaepwithsha256andmgf1padding: { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
  oaepwithsha384andmgf1padding: { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha384' },
  oaepwithsha512andmgf1padding: { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha512' },
  oaeppadding: { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
  pkcs1padding: { padding: constants.RSA_PKCS1_PADDING },
};

/**
 * Encrypts a secret with the public key or certificate in `publicKeyPem`; the result is Base64, as the original writes
 * it into `[secrets]`. Throws a `MillraceError` when the transformation is unknown or the text is too long for the key.
 */
export function encryptSecret(
  plainText: string,
  publicKeyPem: string,
  transformation: string = defaultTransformation,
): string {
  const padding = paddingOf(transformation);
  try {
    return publicEncrypt({ key: publicKeyPem, ...padding }, Buffer.from(plainText, 'utf8')).toString('base64');
  } catch (cause) {
    throw new MillraceError({
      code: 'MR_SECRET_ENCRYPT',
      message: `the secret cannot be encrypted with this key and ${transformation}`,
      cause,
    });
  }
}

/**
 * Decrypts the Base64 text of a secret with the private key in `privateKeyPem`. Throws a `MillraceError` when the
 * transformation is unknown, the text is no Base64, or it was encrypted with another key or transformation.
 */
export function decryptSecret(
  cipherText: string,
  privateKeyPem: string,
  transformation: string = defaultTransformation,
): string {
  const padding = paddingOf(transformation);
  const compact = cipherText.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) {
    throw new MillraceError({ code: 'MR_SECRET_FORMAT', message: 'the value is no Base64 text' });
  }
  try {
    const plain = privateDecrypt({ key: privateKeyPem, ...padding }, Buffer.from(compact, 'base64'));
    // With PKCS #1 padding a wrong key gives random bytes in place of an error.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
  } catch (cause) {
    throw new MillraceError({
      code: 'MR_SECRET_KEY',
      message: `it was not encrypted with this key and ${transformation}`,
      cause,
    });
  }
}

/** The transformations that `encryptSecret` and `decryptSecret` know, by their Java names. */
export const transformations: readonly string[] = [
  defaultTransformation,
  'RSA/ECB/OAEPWithSHA-256AndMGF1Padding',
  'RSA/ECB/OAEPWithSHA-384AndMGF1Padding',
  'RSA/ECB/OAEPWithSHA-512AndMGF1Padding',
  'RSA/ECB/PKCS1Padding',
];

function paddingOf(transformation: string): Padding {
  const parts = transformation.toLowerCase().replaceAll('-', '').split('/');
  const name = parts.length === 1 && parts[0] === 'rsa' ? 'pkcs1padding' : (parts.at(-1) ?? '');
  const padding = parts[0] === 'rsa' ? paddings[name] : undefined;
  if (padding) return padding;
  throw new MillraceError({
    code: 'MR_SECRET_TRANSFORMATION',
    message: `the transformation ${transformation} is unknown; known are ${transformations.join(', ')}`,
  });
}
