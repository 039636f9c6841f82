import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { encryption, openSecretCipher, type Config } from '#config';
import type { Home } from '#core';
import { MillraceError } from '#errors';

/**
 * The key of `[encryption] key`, else one that this home makes for itself; nodes of a cluster share the former.
 *
 * @throws MillraceError `MR_IDENTITY_CONFIG` where `[encryption] type` wants a key and there is none
 */
export function sealingKey(home: Home, config: Config): Uint8Array {
  const type = config.get(encryption.type);
  const configured = type === 'asymmetric' ? undefined : config.get(encryption.key);
  if (type === 'symmetric' && configured === undefined) {
    const message = 'encryption.key: expected a key, since encryption.type is symmetric; found nothing';
    throw new MillraceError({ code: 'MR_IDENTITY_CONFIG', message });
  }
  if (configured !== undefined && /^[0-9a-f]{64}$/i.test(configured)) return Buffer.from(configured, 'hex');
  const file = join(home.security, 'internal.key');
  if (!existsSync(file)) {
    mkdirSync(home.security, { recursive: true });
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
}

/** Reads the encrypted properties of store files with the key store of the configuration, opened when it is needed. */
export function storeFileDecrypter(config: Config, home: Home): (cipherText: string) => Promise<string> {
  let cipher: ReturnType<typeof openSecretCipher> | undefined;
  return async (cipherText) => {
    cipher ??= openSecretCipher(config, { home: home.directory, env: process.env });
    return (await cipher).decrypt(cipherText);
  };
}
