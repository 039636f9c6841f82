import { readFileSync } from 'node:fs';
import { MillraceError } from '#errors';
import { isJks, readJks } from './jks.ts';
import { keyStoreError, withFile } from './key-store-error.ts';
import { isPkcs12, readPkcs12 } from './pkcs12-read.ts';

/** One entry of a key store: a private key with its chain, or a trusted certificate alone. */
export interface KeyStoreEntry {
  readonly alias: string;
  /** PKCS8 in PEM; absent for a trusted certificate. */
  readonly privateKeyPem?: string;
  /** The certificates in PEM, the entry's own first, its issuers after it. */
  readonly certificatePems: readonly string[];
}

export interface KeyStoreFile {
  readonly file: string;
  readonly password: string;
  /** Password of the private keys; the store's own when absent. */
  readonly keyPassword?: string | undefined;
}

/**
 * Reads a key store or trust store. The format (JKS or PKCS12) is seen in the content, whatever the file is called.
 *
 * @param keyPassword password of the private keys; the store's own when absent
 * @throws MillraceError `MR_KEYSTORE_…`: unknown format, damaged, wrong password, unsupported encryption
 */
export function readKeyStore(content: Uint8Array, password: string, keyPassword?: string): readonly KeyStoreEntry[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (isJks(bytes)) return readJks(bytes, password, keyPassword ?? password);
  if (isPkcs12(bytes)) return readPkcs12(bytes, password, keyPassword ?? password);
  throw keyStoreError('unknownFormat', 'The file is neither a JKS nor a PKCS12 key store');
}

/** Reads the key store in a file; every error names the file. */
export function readKeyStoreFile({ file, password, keyPassword }: KeyStoreFile): readonly KeyStoreEntry[] {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    throw withFile(keyStoreError('unreadable', 'The key store cannot be read', error), file);
  }
  try {
    return readKeyStore(content, password, keyPassword);
  } catch (error) {
    throw error instanceof MillraceError ? withFile(error, file) : error;
  }
}

/**
 * The entry called `alias` (any case, as in Java), or the first private key when no alias is given.
 *
 * @throws MillraceError `MR_KEYSTORE_ALIAS_MISSING`, naming the aliases that exist
 */
export function findEntry(entries: readonly KeyStoreEntry[], alias?: string): KeyStoreEntry {
  const wanted = alias?.toLowerCase();
  const found = entries.find((entry) =>
    wanted === undefined ? entry.privateKeyPem !== undefined : entry.alias.toLowerCase() === wanted,
  );
  if (found) return found;
  const known = entries.map((entry) => `"${entry.alias}"`).join(', ') || 'none';
  const what = alias === undefined ? 'no private key' : `no entry "${alias}"`;
  throw keyStoreError('aliasMissing', `The key store has ${what}; its aliases are ${known}`);
}
