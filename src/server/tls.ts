import {
  connector,
  keystorePrimary,
  keystoreTls,
  securityFileOf,
  transportPassthruHttps,
  truststore,
  type Config,
  type Key,
} from '#config';
import { getLogger, type Home } from '#core';
import { MillraceError, toError } from '#errors';
import { findEntry, readKeyStoreFile, tlsOptions, type KeyStoreEntry } from '#keystore';
import type { ClientCheck, HostNameVerifier, ListenerTls, SenderTls } from '#transport';
import { openOwnKeyStore } from './own-key-store.ts';
import { warnAboutStoreType } from './store-type.ts';
import { readTlsProfiles, type TlsProfile } from './tls-profiles.ts';
import { cipherList, tlsVersions } from './tls-protocols.ts';
import { watchFiles } from './watch-files.ts';

const log = getLogger('server');

/** Whose key material: that of the API listener, of the server's HTTPS connector, or of other administrative ones. */
export type TlsUse = 'api' | 'connector' | 'server';

/** Key material of listeners and of the sender, read again when its files change. */
export interface ServerTls extends Disposable {
  listener(use: TlsUse): Promise<ListenerTls>;
  sender(): SenderTls;
  /** The certificates of `[truststore]` as PEM; undefined when the file names no store. */
  trusted(): readonly string[] | undefined;
  /** The private key of the primary key store, which signs tokens; undefined when the file names no store. */
  primaryKey(): { readonly privateKeyPem: string; readonly certificatePem: string | undefined } | undefined;
  /** Calls `apply` after each change of a file from `watch` on, until the result is disposed. */
  onChange(apply: () => void): Disposable;
  /** Reads what another configuration names, and has it applied. */
  use(config: Config): void;
  /** Watches the files that were read so far, and those that are read later. */
  watch(): void;
}

/**
 * Opens the key material that the configuration names; what a start makes for itself stands in for what it does not.
 *
 * @param checkClient looks at certificates of clients of the HTTPS listener for APIs
 */
export function openTls(home: Home, started: Config, checkClient?: ClientCheck): ServerTls {
  let config = started;
  const files = new Set<string>();
  const listeners = new Set<() => void>();
  let watcher: Disposable | undefined;
  const changed = (): void => {
    for (const apply of listeners) apply();
  };
  const note = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    if (!watcher) return;
    watcher[Symbol.dispose]();
    watcher = watchFiles(files, changed);
  };
  const warned = new Set<string>();
  const read = (store: StoreKeys): readonly KeyStoreEntry[] | undefined => {
    warnOfType(home, config, { store, warned });
    const found = readStore(home, config, store);
    if (found) note(found.file);
    return found?.entries;
  };
  const profiles = (kind: 'sender' | 'listener'): readonly TlsProfile[] => {
    const path = kind === 'sender' ? passthru.senderSslProfileFilePath : passthru.listenerSslProfileFilePath;
    const found = readTlsProfiles(home.directory, config.get(path), kind);
    for (const file of found.flatMap((profile) => profile.files)) note(file);
    return found;
  };
  return {
    async listener(use) {
      const keyStore = read(use === 'api' ? listenerKeyStore : serverKeyStore);
      const own = keyStore ? keyMaterial(config, keyStore) : await openOwnKeyStore(home);
      if (use === 'api') {
        const tls = apiListenerTls(config, read(listenerTrustStore));
        return { ...own, ...tls, ...(checkClient ? { checkClient } : {}), profiles: profiles('listener') };
      }
      return use === 'connector' ? { ...own, ...connectorTls(config, read(serverTrustStore)) } : own;
    },
    sender() {
      const keyStore = read(senderKeyStore);
      const trustStore = read(senderTrustStore);
      const { senderParametersHttpsProtocols: protocols, senderHostnameVerifier: verifier } = transportPassthruHttps;
      return {
        ...(keyStore ? keyMaterial(config, keyStore) : {}),
        ...(trustStore ? tlsOptions({ trustStore }) : {}),
        ...tlsVersions(config.get(protocols), protocols.path),
        verifier: verifiers[config.get(verifier) ?? 'DefaultAndLocalhost'],
        profiles: profiles('sender'),
      };
    },
    trusted() {
      const trustStore = read(serverTrustStore);
      return trustStore && tlsOptions({ trustStore }).ca;
    },
    primaryKey() {
      const entries = read(primaryKeyStore);
      if (!entries) return undefined;
      const alias = config.get(keystorePrimary.alias)?.toLowerCase();
      const named = entries.find((entry) => entry.alias.toLowerCase() === alias);
      const { privateKeyPem, certificatePems } = named ?? findEntry(entries);
      return privateKeyPem === undefined ? undefined : { privateKeyPem, certificatePem: certificatePems[0] };
    },
    onChange(apply) {
      listeners.add(apply);
      return { [Symbol.dispose]: () => void listeners.delete(apply) };
    },
    use(next) {
      config = next;
      changed();
    },
    watch() {
      watcher ??= watchFiles(files, changed);
    },
    [Symbol.dispose]() {
      watcher?.[Symbol.dispose]();
      watcher = undefined;
    },
  };
}

/** Applies changed key material; what cannot be read leaves what works. */
export async function applyTls(read: () => Promise<void> | void): Promise<void> {
  try {
    await read();
    log.info({}, 'key material was read again');
  } catch (error) {
    log.error({ err: toError(error) }, 'changed key material cannot be used; what was read before stays');
  }
}

const verifiers: Readonly<Record<'Default' | 'DefaultAndLocalhost' | 'Strict' | 'AllowAll', HostNameVerifier>> = {
  Default: 'strict',
  DefaultAndLocalhost: 'default-and-localhost',
  Strict: 'strict',
  AllowAll: 'allow-all',
};

/** The keys that describe one store, each with those that count when it is absent. */
interface StoreKeys {
  readonly file: readonly Key<string | undefined>[];
  readonly password: readonly Key<string | undefined>[];
  readonly keyPassword?: readonly Key<string | undefined>[];
  readonly type: readonly Key<string | undefined>[];
}

const passthru = transportPassthruHttps;

const serverKeyStore: StoreKeys = {
  file: [keystoreTls.fileName, keystorePrimary.fileName],
  password: [keystoreTls.password, keystorePrimary.password],
  keyPassword: [keystoreTls.keyPassword, keystorePrimary.keyPassword],
  type: [keystoreTls.type, keystorePrimary.type],
};

const primaryKeyStore: StoreKeys = {
  file: [keystorePrimary.fileName],
  password: [keystorePrimary.password],
  keyPassword: [keystorePrimary.keyPassword],
  type: [keystorePrimary.type],
};

const listenerKeyStore: StoreKeys = {
  file: [passthru.listenerKeyStoreFileName, ...serverKeyStore.file],
  password: [passthru.listenerKeyStorePassword, ...serverKeyStore.password],
  keyPassword: [passthru.listenerKeyStoreKeyPassword, keystorePrimary.keyPassword],
  type: [passthru.listenerKeyStoreType, ...serverKeyStore.type],
};

const senderKeyStore: StoreKeys = {
  file: [passthru.senderKeyStoreFileName, ...serverKeyStore.file],
  password: [passthru.senderKeyStorePassword, ...serverKeyStore.password],
  keyPassword: [passthru.senderKeyStoreKeyPassword, keystorePrimary.keyPassword],
  type: [passthru.senderKeyStoreType, ...serverKeyStore.type],
};

const listenerTrustStore: StoreKeys = {
  file: [passthru.listenerTrustStoreFileName, truststore.fileName],
  password: [passthru.listenerTrustStorePassword, truststore.password],
  type: [passthru.listenerTrustStoreType, truststore.type],
};

const serverTrustStore: StoreKeys = {
  file: [truststore.fileName],
  password: [truststore.password],
  type: [truststore.type],
};

const senderTrustStore: StoreKeys = {
  file: [passthru.senderTrustStoreFileName, truststore.fileName],
  password: [passthru.senderTrustStorePassword, truststore.password],
  type: [passthru.senderTrustStoreType, truststore.type],
};

function readStore(
  home: Home,
  config: Config,
  store: StoreKeys,
): { file: string; entries: readonly KeyStoreEntry[] } | undefined {
  const name = firstOf(config, store.file);
  const password = firstOf(config, store.password);
  if (name === undefined || password === undefined) return undefined;
  const file = securityFileOf(home.directory, name);
  const keyPassword = firstOf(config, store.keyPassword ?? []);
  const entries = readKeyStoreFile({ file, password, ...(keyPassword === undefined ? {} : { keyPassword }) });
  return { file, entries };
}

/** One warning for each key that says another kind than the file has. */
function warnOfType(home: Home, config: Config, { store, warned }: { store: StoreKeys; warned: Set<string> }): void {
  const name = firstOf(config, store.file);
  const type = store.type.find((key) => config.has(key));
  if (name === undefined || !type || warned.has(type.path)) return;
  warned.add(type.path);
  warnAboutStoreType(securityFileOf(home.directory, name), config.get(type), type.path);
}

function firstOf(config: Config, keys: readonly Key<string | undefined>[]): string | undefined {
  for (const key of keys) {
    const value = config.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
}

function keyMaterial(config: Config, keyStore: readonly KeyStoreEntry[]): ListenerTls {
  const alias = config.get(keystoreTls.alias) ?? config.get(keystorePrimary.alias);
  const isPresent = alias !== undefined && keyStore.some((entry) => entry.alias.toLowerCase() === alias.toLowerCase());
  return tlsOptions({ keyStore, ...(isPresent ? { alias } : {}) });
}

function apiListenerTls(config: Config, trustStore: readonly KeyStoreEntry[] | undefined): ListenerTls {
  const { listenerParametersHttpsProtocols: protocols, listenerParametersPreferredCiphers: ciphers } = passthru;
  return {
    ...(trustStore ? tlsOptions({ trustStore }) : {}),
    ...tlsVersions(config.get(protocols), protocols.path),
    ...cipherList(config.get(ciphers), ciphers.path),
    verifyClient: config.get(passthru.listenerParametersSslVerifyClient),
  };
}

/** How a connector asks clients for certificates, as the original's names say. */
const verifications: Readonly<Record<string, NonNullable<ListenerTls['verifyClient']>>> = {
  false: 'none',
  none: 'none',
  optional: 'optional',
  optionalnoca: 'optional',
  want: 'optional',
  true: 'require',
  required: 'require',
};

function connectorTls(config: Config, trustStore: readonly KeyStoreEntry[] | undefined): ListenerTls {
  const keys = config.named(connector, 'https');
  const verification = keys.get(connector.certificateVerification);
  const verifyClient = verifications[verification.trim().toLowerCase()];
  if (!verifyClient) {
    const message = `transport.https.properties.certificate_verification must be false, optional, optionalNoCA or required, found "${verification}"`;
    throw new MillraceError({ code: 'MR_CONFIG_VERIFICATION', message });
  }
  return {
    ...(trustStore && verifyClient !== 'none' ? tlsOptions({ trustStore }) : {}),
    ...tlsVersions(signedNames(keys.get(connector.protocols)), 'transport.https.properties.protocols'),
    ...cipherList(keys.get(connector.ciphers), 'transport.https.properties.ciphers'),
    verifyClient,
  };
}

/** The names of a list in which `+` adds one and `-` takes it away. */
function signedNames(names: readonly string[]): string[] {
  const removed = new Set(names.filter((name) => name.startsWith('-')).map((name) => name.slice(1)));
  return names
    .filter((name) => !name.startsWith('-'))
    .map((name) => name.replace(/^\+/, ''))
    .filter((name) => !removed.has(name));
}
