import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSelfSigned } from '#keystore';

/** Files with the key and the certificate of the peers. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
  /** Both in one file. */
  readonly both: string;
}

/** Writes a certificate of the make that Millrace makes for itself. */
export async function writeCertificate(folder: string): Promise<Certificate> {
  const { privateKeyPem, certificatePem } = await createSelfSigned({ hostNames: ['localhost'], days: 2 });
  const files = {
    key: join(folder, 'peer.key'),
    certificate: join(folder, 'peer.crt'),
    both: join(folder, 'peer.pem'),
  };
  writeFileSync(files.key, privateKeyPem, { mode: 0o600 });
  writeFileSync(files.certificate, certificatePem);
  writeFileSync(files.both, certificatePem + privateKeyPem, { mode: 0o600 });
  return files;
}
