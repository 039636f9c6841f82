import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyStoreEntry } from '#keystore';
import { MillraceError } from '#errors';
import type { Config } from './config.ts';
import { dashboardKeystore, keystoreInternal, keystorePrimary, keystoreTls } from './catalog/index.ts';
import { configFileOf, securityFileOf } from './home.ts';
import { keyStorePasswords, type KeyStorePasswords } from './key-store-password.ts';
import { loadConfig, type LoadedConfig, type LoadOptions } from './load.ts';

export interface HomeOptions extends Omit<LoadOptions, 'text' | 'decrypt'> {
  readonly home: string;
  /** Asks for the key store's password; absent where nobody can be asked. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
}

/** Encrypts and decrypts with the key pair that a home's configuration names. */
export interface SecretCipher {
  encrypt(plainText: string): string;
  decrypt(cipherText: string): string;
}

/**
 * Loads the configuration of a home with its secrets: the key store is opened, and its password asked for, only when
 * the file refers to a secret. Throws a `MillraceError` when the file is missing or the key store cannot be opened.
 */
export async function loadHomeConfig(options: HomeOptions): Promise<LoadedConfig> {
  const file = options.file ?? configFileOf(options.home);
  const locked = loadConfig({ ...options, file });
  if (!locked.config.hasLockedSecrets) return locked;
  const cipher = await openSecretCipher(locked.config, options);
  return loadConfig({ ...options, file, decrypt: (cipherText) => cipher.decrypt(cipherText) });
}

/** Opens the key store that secrets are encrypted with. Throws a `MillraceError` that names the file. */
export async function openSecretCipher(config: Config, options: HomeOptions): Promise<SecretCipher> {
  const named = namedKeyStore(config);
  if (named.fileName === undefined) {
    throw new MillraceError({
      code: 'MR_CONFIG_NO_KEYSTORE',
      message: 'secrets need a key store: the configuration names none in [keystore.tls] or [keystore.primary]',
    });
  }
  const passwords = await keyStorePasswords({
    home: options.home,
    env: options.env ?? {},
    configured: named.passwords,
    prompt: options.prompt,
  });
  // Most configurations hold no secret, and key store readers take long to load.
  const keystore = await import('#keystore');
  const entries = keystore.readKeyStoreFile({ file: securityFileOf(options.home, named.fileName), ...passwords });
  const { privateKeyPem, publicKeyPem } = keyPairOf(keystore.findEntry(entries, named.alias));
  const transformation = options.systemProperties?.['org.wso2.CipherTransformation'];
  return {
    encrypt: (plainText) => keystore.encryptSecret(plainText, publicKeyPem, transformation),
    decrypt: (cipherText) => keystore.decryptSecret(cipherText, privateKeyPem, transformation),
  };
}

interface NamedKeyStore {
  readonly fileName: string | undefined;
  readonly alias: string | undefined;
  readonly passwords: KeyStorePasswords | undefined;
}

/** Secrets are encrypted with the internal key store, else the primary one, else that of TLS. */
function namedKeyStore(config: Config): NamedKeyStore {
  if (config.dashboard) {
    const fileName = config.get(dashboardKeystore.fileName);
    const password = config.readable(dashboardKeystore.password);
    const keyPassword = config.readable(dashboardKeystore.keyPassword);
    return { fileName, alias: undefined, passwords: password === undefined ? undefined : { password, keyPassword } };
  }
  const sections = [keystoreInternal, keystorePrimary, keystoreTls];
  const section = sections.find(({ fileName }) => config.get(fileName) !== undefined) ?? keystoreTls;
  const password = config.readable(section.password);
  const keyPassword = config.readable(section.keyPassword);
  return {
    fileName: config.get(section.fileName),
    alias: config.get(section.alias),
    passwords: password === undefined ? undefined : { password, keyPassword },
  };
}

function keyPairOf(entry: KeyStoreEntry): { privateKeyPem: string; publicKeyPem: string } {
  const { alias, privateKeyPem } = entry;
  if (privateKeyPem === undefined) {
    throw new MillraceError({
      code: 'MR_CONFIG_NO_PRIVATE_KEY',
      message: `the key store entry ${alias} has no private key`,
    });
  }
  const publicKey = createPublicKey(createPrivateKey(privateKeyPem));
  return { privateKeyPem, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) };
}
