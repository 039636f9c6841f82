import { findEntry, type KeyStoreEntry } from './key-store.ts';

/** Key material in PEM, as TLS listeners and senders take it. */
export interface TlsMaterial {
  /** Private key of this side. */
  readonly key?: string;
  /** Certificate of this side, followed by its chain. */
  readonly cert?: string;
  /** Certificates that are trusted. */
  readonly ca?: readonly string[];
}

export interface TlsStores {
  readonly keyStore?: readonly KeyStoreEntry[] | undefined;
  /** Which private key; the first one when absent. */
  readonly alias?: string | undefined;
  readonly trustStore?: readonly KeyStoreEntry[] | undefined;
}

/**
 * Key material for TLS from the entries of a key store and of a trust store.
 *
 * @throws MillraceError `MR_KEYSTORE_ALIAS_MISSING` when the key store has no such private key
 */
export function tlsOptions({ keyStore, alias, trustStore }: TlsStores): TlsMaterial {
  const entry =
    keyStore &&
    findEntry(
      keyStore.filter((candidate) => candidate.privateKeyPem !== undefined),
      alias,
    );
  return {
    ...(entry?.privateKeyPem === undefined ? {} : { key: entry.privateKeyPem, cert: entry.certificatePems.join('') }),
    ...(trustStore ? { ca: trustStore.flatMap((candidate) => candidate.certificatePems) } : {}),
  };
}
