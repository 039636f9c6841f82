import { getLogger } from '#core';
import { opensslCipherList } from '#core/java';
import { MillraceError } from '#errors';

const log = getLogger('server');

const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
type TlsVersion = (typeof versions)[number];

/** The range of versions that a list of names allows. */
export interface TlsVersions {
  readonly minVersion: TlsVersion;
  readonly maxVersion: TlsVersion;
}

/**
 * Reads a list such as `TLSv1.2,TLSv1.3`. TLS 1.0 and 1.1 (RFC 8996) count only when the list holds nothing newer.
 *
 * @param path the key, for the error
 * @throws MillraceError for a list without any version of TLS
 */
export function tlsVersions(names: readonly string[], path: string): TlsVersions {
  const known = versions.filter((version) => names.some((name) => name.trim().toLowerCase() === version.toLowerCase()));
  const current = known.filter((version) => version === 'TLSv1.2' || version === 'TLSv1.3');
  const allowed = current.length > 0 ? current : known;
  const [minVersion] = allowed;
  const maxVersion = allowed.at(-1);
  if (!minVersion || !maxVersion) {
    throw new MillraceError({
      code: 'MR_CONFIG_TLS_VERSIONS',
      message: `${path} names no version of TLS; known are ${versions.join(', ')}`,
    });
  }
  return { minVersion, maxVersion };
}

/** Cipher suites named as in Java, as OpenSSL's list; unknown ones are left out with a warning. */
export function cipherList(names: readonly string[] | undefined, path: string): { ciphers?: string } {
  if (!names || names.length === 0) return {};
  const { ciphers, unknown } = opensslCipherList(names.join(','));
  if (unknown.length > 0) log.warn({ key: path, unknown }, 'cipher suites that do not exist here are left out');
  return ciphers === '' ? {} : { ciphers };
}
