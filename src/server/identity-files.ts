import { createPrivateKey, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { encryption, keystoreInternal, openSecretCipher, securityFileOf, type Config } from '#config';
import type { Home } from '#core';
import { MillraceError } from '#errors';
import { findEntry, readKeyStoreFile } from '#keystore';

/**
 * The key of what is stored encrypted: that of `[encryption] key`, with `type = "asymmetric"` one that comes from the
 * private key of `[keystore.internal]`, else one that this home makes for itself. Nodes of a cluster share the former
 * two. A home that has made its key keeps it, since what it stored could not be read with another.
 *
 * @throws MillraceError `MR_IDENTITY_CONFIG` where `[encryption] type` wants a key and there is none; what is wrong with
 *   the key store
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
    const shared = type === 'asymmetric' ? keyOfInternalStore(home, config) : undefined;
    if (shared) return shared;
    mkdirSync(home.security, { recursive: true });
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
}

/** A key that every node with the same private key comes to; undefined where the file names no internal key store. */
function keyOfInternalStore(home: Home, config: Config): Uint8Array | undefined {
  const name = config.get(keystoreInternal.fileName);
  const password = config.get(keystoreInternal.password);
  if (name === undefined || password === undefined) return undefined;
  const keyPassword = config.get(keystoreInternal.keyPassword);
  const file = securityFileOf(home.directory, name);
  const entries = readKeyStoreFile({ file, password, ...(keyPassword === undefined ? {} : { keyPassword }) });
  const { alias, privateKeyPem } = findEntry(entries, config.get(keystoreInternal.alias));
  if (privateKeyPem === undefined) {
    const message = `keystore.internal.alias: expected an entry with a private key, found the certificate "${alias}"`;
    throw new MillraceError({ code: 'MR_IDENTITY_CONFIG', message });
  }
  const secret = createPrivateKey(privateKeyPem).export({ type: 'pkcs8', format: 'der' });
  return new Uint8Array(hkdfSync('sha256', secret, '', 'millrace values at rest', 32));
}

/** Reads the encrypted properties of store files with the key store of the configuration, opened when it is needed. */
export function storeFileDecrypter(config: Config, home: Home): (cipherText: string) => Promise<string> {
  let cipher: ReturnType<typeof openSecretCipher> | undefined;
  return async (cipherText) => {
    cipher ??= openSecretCipher(config, { home: home.directory, env: process.env });
    return (await cipher).decrypt(cipherText);
  };
}
