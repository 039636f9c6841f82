import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyStoreEntry } from '#keystore';
import { MillraceError, messageOf } from '#errors';
import type { Config } from './config.ts';
import { dashboardKeystore, keystoreInternal, keystorePrimary, keystoreTls, secrets } from './catalog/index.ts';
import { configFileOf, securityFileOf } from './home.ts';
import { keyStorePasswords, type KeyStorePasswords } from './key-store-password.ts';
import { loadConfig, type LoadedConfig, type LoadOptions } from './load.ts';
import { isPlain } from './secret-table.ts';

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

/** The configuration of a home, and the secrets in its file. */
export interface LoadedHomeConfig extends LoadedConfig {
  /** The plain text behind an alias of `[secrets]`; undefined when there is none or it cannot be read. */
  readonly secret: (alias: string) => string | undefined;
}

/**
 * Loads the configuration of a home with its secrets: the key store is opened, and its password asked for, only when
 * the file holds encrypted secrets. A key store that cannot be opened is a warning when only flows may want a secret.
 * Throws a `MillraceError` when the file is missing, or the key store cannot be opened and the file refers to a secret.
 */
export async function loadHomeConfig(options: HomeOptions): Promise<LoadedHomeConfig> {
  const file = options.file ?? configFileOf(options.home);
  const locked = loadConfig({ ...options, file });
  const cipherTexts = locked.config.dashboard ? {} : locked.config.bag(secrets);
  const isNeeded = locked.config.hasLockedSecrets;
  if (!isNeeded && Object.values(cipherTexts).every(isPlain)) return { ...locked, secret: () => undefined };
  try {
    const cipher = await openSecretCipher(locked.config, options);
    const decrypt = (cipherText: string): string => cipher.decrypt(cipherText);
    const loaded = isNeeded ? loadConfig({ ...options, file, decrypt }) : locked;
    return { ...loaded, secret: createReader(cipherTexts, decrypt) };
  } catch (error) {
    if (isNeeded) throw error;
    const message = `the secrets of [secrets] cannot be read by flows: ${messageOf(error)}`;
    const problem = { code: 'MR_CONFIG_SECRETS_CLOSED', severity: 'warning', message } as const;
    return { ...locked, problems: [...locked.problems, problem], secret: () => undefined };
  }
}

/** Decrypts each alias once, when it is first asked for; one that waits for its encryption has no value. */
function createReader(
  cipherTexts: Readonly<Record<string, string>>,
  decrypt: (cipherText: string) => string,
): (alias: string) => string | undefined {
  const plain = new Map<string, string>();
  return (alias) => {
    const cipherText = cipherTexts[alias];
    if (cipherText === undefined || isPlain(cipherText)) return undefined;
    const known = plain.get(alias) ?? decrypt(cipherText);
    plain.set(alias, known);
    return known;
  };
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
