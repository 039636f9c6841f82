import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { MillraceError } from '#errors';

/** How the values of tokens and secrets are kept (identity 4.3). */
export type ProtectionMode = 'plain' | 'hashed' | 'encrypted';

/** Keeps the values of tokens, codes and client secrets. */
export interface Protection {
  readonly mode: ProtectionMode;
  /** What is found in the index: the same for one value in every mode. */
  hash(value: string): string;
  /** What is written beside the hash; null when the hash is all that is kept. */
  store(value: string): string | null;
  /** The value of what was written, in whatever mode; undefined when only its hash is there. */
  restore(stored: string | null): string | undefined;
}

const encryptedPrefix = 'aes-256-gcm:';

export interface ProtectionOptions {
  readonly mode: ProtectionMode;
  /** Name of the digest as Node knows it, such as `sha256`. */
  readonly algorithm: string;
  /** 32 bytes; needed to encrypt, and to read what was encrypted. */
  readonly key: Uint8Array | undefined;
}

/**
 * Makes the keeping of values. Rows of another mode stay readable after a change, except where only a hash is there.
 *
 * @throws MillraceError `MR_PROTECTION_KEY` when encryption has no key
 */
export function createProtection({ mode, algorithm, key }: ProtectionOptions): Protection {
  if (mode === 'encrypted' && key?.length !== 32) {
    throw new MillraceError({
      code: 'MR_PROTECTION_KEY',
      message: 'Encryption of tokens needs a key of 32 bytes; see [encryption] key',
    });
  }
  return {
    mode,
    hash: (value) => hash(algorithm, value, 'hex'),
    store(value) {
      if (mode === 'hashed') return null;
      return mode === 'encrypted' && key ? encrypt(value, key) : value;
    },
    restore(stored) {
      if (stored === null) return undefined;
      if (!stored.startsWith(encryptedPrefix)) return stored;
      if (!key) {
        throw new MillraceError({
          code: 'MR_PROTECTION_KEY',
          message: 'A stored value is encrypted, and there is no key',
        });
      }
      return decrypt(stored, key);
    },
  };
}

function encrypt(value: string, key: Uint8Array): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return encryptedPrefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

function decrypt(stored: string, key: Uint8Array): string {
  const bytes = Buffer.from(stored.slice(encryptedPrefix.length), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}
