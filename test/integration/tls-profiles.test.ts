import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { startHttpListener } from '#transport';
import { readTlsProfiles } from '../../src/server/tls-profiles.ts';

const home = mkdtempSync(join(tmpdir(), 'millrace-profiles-'));
after(() => rmSync(home, { recursive: true }));

const materialOf = async (name: string) => {
  const { privateKeyPem, certificatePem } = await createSelfSigned({ hostNames: [name], days: 1 });
  return { key: privateKeyPem, cert: certificatePem };
};
const common = await materialOf('common.example');
const named = await materialOf('named.example');
const addressed = await materialOf('addressed.example');

/** The name in the certificate that a client sees. */
function shownTo(port: number, host: string, servername?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, rejectUnauthorized: false, ...(servername ? { servername } : {}) }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test('a client sees the certificate of the address that it reached, or of the name that it asked for', async () => {
  const profiles = [
    { names: ['named.example'], tls: named },
    { names: ['127.0.0.2'], tls: addressed },
  ];
  await using listener = await startHttpListener(
    { host: '0.0.0.0', port: 0, tls: { ...common, profiles } },
    () => undefined,
  );
  const { port } = listener;
  assert.equal(await shownTo(port, '127.0.0.1'), 'DNS:common.example');
  assert.equal(await shownTo(port, '127.0.0.1', 'named.example'), 'DNS:named.example');
  assert.equal(await shownTo(port, '127.0.0.1', 'other.example'), 'DNS:common.example');
  assert.equal(await shownTo(port, '127.0.0.2'), 'DNS:addressed.example');
  listener.setTls?.({ ...named, profiles });
  assert.equal(await shownTo(port, '127.0.0.1'), 'DNS:named.example');
  assert.equal(await shownTo(port, '127.0.0.2'), 'DNS:addressed.example');
});

function read(text: string, kind: 'sender' | 'listener') {
  writeFileSync(join(home, 'profiles.xml'), text);
  return readTlsProfiles(home, 'profiles.xml', kind);
}

test('profiles name their hosts, and the files that they depend on', () => {
  writeFileSync(
    join(home, 'keys.p12'),
    writePkcs12([{ alias: 'own', privateKeyPem: named.key, certificatePems: [named.cert] }], 'secret'),
  );
  const [profile] = read(
    `<parameter name="customSSLProfiles"><profile><servers>Back.Example:8443, 10.0.0.1:443</servers>
      <KeyStore><Location>${home}/keys.p12</Location><Password>secret</Password></KeyStore>
      <HttpsProtocols>TLSv1.3</HttpsProtocols></profile></parameter>`,
    'sender',
  );
  assert.deepEqual(profile?.names, ['back.example:8443', '10.0.0.1:443']);
  assert.deepEqual(profile.files, [join(home, 'profiles.xml'), join(home, 'keys.p12')]);
  assert.deepEqual([profile.tls.minVersion, profile.tls.cert], ['TLSv1.3', named.cert]);
});

test('without a file there are no profiles', () => {
  assert.deepEqual(readTlsProfiles(home, 'absent.xml', 'sender'), []);
});

const faults: readonly (readonly [kind: 'sender' | 'listener', text: string, message: RegExp])[] = [
  ['sender', '<p><profile/></p>', /needs <servers>: the back ends/],
  ['listener', '<p><profile><servers>a:1</servers></profile></p>', /needs <bindAddress>/],
  ['sender', '<p><profile>', /profiles\.xml is not well-formed/],
  [
    'listener',
    '<p><profile><bindAddress>10.0.0.1</bindAddress><SSLVerifyClient>maybe</SSLVerifyClient></profile></p>',
    /must be none, optional or require, found "maybe"/,
  ],
  [
    'listener',
    '<p><profile><bindAddress>a.example</bindAddress><SSLVerifyClient>require</SSLVerifyClient></profile></p>',
    /needs addresses in <bindAddress>, found a\.example/,
  ],
  [
    'sender',
    '<p><profile><servers>a:1</servers><KeyStore><Location>x.jks</Location></KeyStore></profile></p>',
    /<KeyStore> of .* needs <Location> and <Password>/,
  ],
];

for (const [kind, text, message] of faults) {
  test(`a profile of a ${kind} is refused: ${message.source}`, () => {
    assert.throws(() => read(text, kind), { code: 'MR_TLS_PROFILE', message });
  });
}
