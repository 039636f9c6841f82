import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { encryption, openSecretCipher, type Config } from '#config';
import type { Home } from '#core';

/** The key of `[encryption] key`, else one that this home makes for itself; nodes of a cluster share the former. */
export function sealingKey(home: Home, config: Config): Uint8Array {
  const configured = config.get(encryption.key);
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
