import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { getLogger, type Home } from '#core';
import { keystoreTls, keystorePrimary, transportPassthruHttps, truststore, securityFileOf, type Config } from '#config';
import { createSelfSigned, readKeyStoreFile, tlsOptions, writePkcs12, type TlsMaterial } from '#keystore';

const log = getLogger('server');
const ownAlias = 'millrace';
const validityDays = 825;

/** Key material of the HTTPS listeners: the configured key store, else the one that the first start makes. */
export async function openListenerTls(home: Home, config: Config): Promise<TlsMaterial> {
  const file = config.get(transportPassthruHttps.listenerKeyStoreFileName);
  const password = config.get(transportPassthruHttps.listenerKeyStorePassword);
  if (file === undefined || password === undefined) return openOwnKeyStore(home);
  const keyPassword = config.get(transportPassthruHttps.listenerKeyStoreKeyPassword);
  const alias = config.get(keystoreTls.alias) ?? config.get(keystorePrimary.alias);
  const keyStore = readKeyStoreFile({
    file: securityFileOf(home.directory, file),
    password,
    ...(keyPassword === undefined ? {} : { keyPassword }),
  });
  const isPresent = alias !== undefined && keyStore.some((entry) => entry.alias.toLowerCase() === alias.toLowerCase());
  return tlsOptions({ keyStore, ...(isPresent ? { alias } : {}) });
}

/** Certificates that back ends are checked against; none means those of the system. */
export function openSenderTrust(home: Home, config: Config): readonly string[] | undefined {
  const file = config.get(transportPassthruHttps.senderTrustStoreFileName) ?? config.get(truststore.fileName);
  const password = config.get(transportPassthruHttps.senderTrustStorePassword) ?? config.get(truststore.password);
  if (file === undefined || password === undefined) return undefined;
  const trustStore = readKeyStoreFile({ file: securityFileOf(home.directory, file), password });
  return tlsOptions({ trustStore }).ca;
}

/** The key store that Millrace makes for itself: a self-signed certificate, its password beside it (0600). */
async function openOwnKeyStore(home: Home): Promise<TlsMaterial> {
  const file = join(home.security, 'millrace.p12');
  const passwordFile = join(home.security, 'millrace.p12.password');
  if (existsSync(file) && existsSync(passwordFile)) {
    return tlsOptions({ keyStore: readKeyStoreFile({ file, password: readFileSync(passwordFile, 'utf8').trim() }) });
  }
  const { privateKeyPem, certificatePem } = await createSelfSigned({
    hostNames: ['localhost', hostname(), '127.0.0.1', '::1'],
    days: validityDays,
  });
  const password = randomBytes(24).toString('base64url');
  mkdirSync(home.security, { recursive: true });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const entry = { alias: ownAlias, privateKeyPem, certificatePems: [certificatePem] };
  writeFileSync(file, writePkcs12([entry], password), { mode: 0o600 });
  log.info({ file }, 'made a self-signed key store');
  return { key: privateKeyPem, cert: certificatePem };
}
