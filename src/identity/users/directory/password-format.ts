import { createHash } from 'node:crypto';
import { MillraceError } from '#errors';

/** Digests by their names in the configuration. */
const digests: Readonly<Record<string, string>> = {
  SHA: 'sha1',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
  MD5: 'md5',
};

/**
 * The value of `userPassword`: the method in braces exactly as configured, then the digest (identity 5.2). Plain text
 * leaves hashing to the directory.
 *
 * @throws MillraceError `MR_STORE_PROPERTY` for a method that nobody knows
 */
export function directoryPassword(password: string, method: string): string {
  if (method === 'PLAIN_TEXT') return password;
  const digest = digests[method.toUpperCase()];
  if (digest === undefined) {
    const message = `PasswordHashMethod: expected PLAIN_TEXT, ${Object.keys(digests).join(', ')}, found "${method}"`;
    throw new MillraceError({ code: 'MR_STORE_PROPERTY', status: 400, message });
  }
  return `{${method}}${createHash(digest).update(password).digest('base64')}`;
}

/** The value of Active Directory's `unicodePwd`: the password in quotes, in UTF-16. */
export function activeDirectoryPassword(password: string): Buffer {
  return Buffer.from(`"${password}"`, 'utf16le');
}
