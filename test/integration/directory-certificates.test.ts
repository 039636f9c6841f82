import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { superTenant } from '#identity';
import { writePkcs12 } from '#keystore';
import { openHomeAdministration } from '../../src/server/open-administration.ts';
import { issue } from '../helpers/test-authority.ts';
import { slapdMissing, startSlapd, type SlapdPeer } from '../peers/slapd.ts';

describe('the certificate of a directory', { skip: slapdMissing }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-ldaps-'));
  let peer: SlapdPeer | undefined;

  before(async () => {
    const authority = await issue({ name: 'Authority of the house', isAuthority: true });
    const server = await issue({ name: '127.0.0.1', issuer: authority, address: '127.0.0.1' });
    const stranger = await issue({ name: 'Authority of strangers', isAuthority: true });
    const security = join(directory, 'conf', 'security');
    mkdirSync(security, { recursive: true });
    for (const [name, { certificatePem }] of Object.entries({ authority, stranger })) {
      const store = writePkcs12([{ alias: name, certificatePems: [certificatePem] }], 'trusted');
      writeFileSync(join(security, `${name}.p12`), store);
    }
    const files = { certificate: join(directory, 'server.pem'), key: join(directory, 'server.key') };
    writeFileSync(files.certificate, server.certificatePem);
    writeFileSync(files.key, server.keyPem);
    peer = await startSlapd({ tls: files });
  });
  after(async () => {
    await peer?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The user `nobody` of a home whose directory is asked by TLS, with this trust store. */
  async function find(trustStore: string | undefined, properties = `ConnectionURL = "${peer?.secureUrl}"`) {
    const toml = `
[user_store]
type = "read_write_ldap"
[user_store.properties]
ConnectionName = "${peer?.accountDn}"
ConnectionPassword = "${peer?.accountPassword}"
${properties}
${trustStore === undefined ? '' : `[truststore]\nfile_name = "${trustStore}.p12"\ntype = "PKCS12"\npassword = "trusted"`}
`;
    writeFileSync(join(directory, 'conf', 'deployment.toml'), toml);
    await using administration = await openHomeAdministration(directory);
    return (await administration.users.find(superTenant, 'nobody')) ?? 'nobody';
  }
  const startTls = (): string => `ConnectionURL = "${peer?.url}"\nStartTLSEnabled = true`;
  const refused = {
    code: 'MR_STORE_CERTIFICATE',
    status: 503,
    detail:
      /^the certificate of ldaps?:\S+ is not trusted: .* expected one that a certificate of \[truststore\] issued/,
  };

  it('is accepted when the trust store has its authority', async () => {
    assert.equal(await find('authority'), 'nobody');
    assert.equal(await find('authority', startTls()), 'nobody');
  });

  it('is refused when the trust store has another authority', async () => {
    await assert.rejects(find('stranger'), refused);
    await assert.rejects(find('stranger', startTls()), refused);
  });

  it('is refused when there is no trust store', async () => {
    await assert.rejects(find(undefined), refused);
  });

  it('is not looked at where the store says so', async () => {
    const properties = `ConnectionURL = "${peer?.secureUrl}"\nSSLCertificateValidationEnabled = false`;
    assert.equal(await find(undefined, properties), 'nobody');
  });
});
