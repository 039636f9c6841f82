export { findEntry, readKeyStore, readKeyStoreFile, type KeyStoreEntry, type KeyStoreFile } from './key-store.ts';
export { writePkcs12 } from './pkcs12-write.ts';
export {
  createRevocationCheck,
  type RevocationCheck,
  type RevocationCheckOptions,
  type RevocationRequest,
  type ShownCertificate,
} from './revocation/revocation-check.ts';
export { decryptSecret, defaultTransformation, encryptSecret, transformations } from './secrets.ts';
export { createSelfSigned, type SelfSigned, type SelfSignedOptions } from './self-signed.ts';
export { tlsOptions, type TlsMaterial, type TlsStores } from './tls-options.ts';
