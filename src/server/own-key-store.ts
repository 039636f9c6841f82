import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { getLogger, type Home } from '#core';
import { createSelfSigned, readKeyStoreFile, tlsOptions, writePkcs12, type TlsMaterial } from '#keystore';

const log = getLogger('server');
const ownAlias = 'millrace';
const validityDays = 825;

/** The key store that Millrace makes for itself: a self-signed certificate, its password beside it (0600). */
export async function openOwnKeyStore(home: Home): Promise<TlsMaterial> {
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
