import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MillraceError } from '#errors';
import { createSelfSigned, findEntry, readKeyStore, readKeyStoreFile, tlsOptions, writePkcs12 } from './index.ts';
import type { KeyStoreEntry } from './index.ts';

const fixtures = join(import.meta.dirname, '../../test/fixtures/keystore');

function fixture(name: string): Buffer {
  return readFileSync(join(fixtures, name));
}

function subjectsOf(entry: KeyStoreEntry | undefined): string[] {
  return (entry?.certificatePems ?? []).map((pem) => new X509Certificate(pem).subject.split('\n').at(-1) ?? '');
}

function hasMatchingKey(entry: KeyStoreEntry | undefined): boolean {
  const [certificate] = entry?.certificatePems ?? [];
  if (certificate === undefined || entry?.privateKeyPem === undefined) return false;
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(entry.privateKeyPem));
}

function failsWith(code: string, pattern: RegExp) {
  return (error: unknown): boolean =>
    error instanceof MillraceError && error.code === code && pattern.test(error.message);
}

for (const [name, keyPassword] of [
  ['server.p12', 'storepass'],
  ['server.jks', 'keypass12'],
  ['legacy.p12', 'storepass'],
  ['openssl.p12', 'storepass'],
] as const) {
  test(`the private key and certificate of ${name} are read`, () => {
    const entries = readKeyStore(fixture(name), 'storepass', keyPassword);
    assert.equal(entries.length, 1);
    assert.equal(entries[0]?.alias, 'server');
    assert.deepEqual(subjectsOf(entries[0]), ['CN=localhost']);
    assert.equal(hasMatchingKey(entries[0]), true);
  });

  test(`a wrong store password of ${name} is reported as such`, () => {
    assert.throws(() => readKeyStore(fixture(name), 'other'), failsWith('MR_KEYSTORE_WRONG_PASSWORD', /password/));
  });

  test(`a wrong key password of ${name} is reported with the alias`, () => {
    assert.throws(
      () => readKeyStore(fixture(name), 'storepass', 'other'),
      failsWith('MR_KEYSTORE_WRONG_KEY_PASSWORD', /"server"/),
    );
  });
}

for (const name of ['trust.jks', 'trust.p12']) {
  test(`the certificate-only trust store ${name} is read`, () => {
    const entries = readKeyStore(fixture(name), 'trustpass');
    assert.deepEqual(
      entries.map((entry) => [entry.alias, entry.privateKeyPem, subjectsOf(entry)]),
      [['ca-one', undefined, ['CN=localhost']]],
    );
  });
}

test('a chain is read with the own certificate first', () => {
  const entries = readKeyStore(fixture('chain.jks'), 'storepass');
  const leaf = findEntry(entries, 'LEAF');
  assert.deepEqual(subjectsOf(leaf), ['CN=leaf.example.test', 'CN=Millrace test authority']);
  assert.equal(hasMatchingKey(leaf), true);
  assert.deepEqual(subjectsOf(findEntry(entries, 'ca')), ['CN=Millrace test authority']);
});

test('entries survive being written as PKCS12 and read again', () => {
  const entries = readKeyStore(fixture('chain.jks'), 'storepass');
  const again = readKeyStore(writePkcs12(entries, 'pässword'), 'pässword');
  assert.equal(again.length, 2);
  for (const entry of entries) assert.deepEqual(findEntry(again, entry.alias), entry);
});

test('a certificate signed by itself names its hosts and addresses', async () => {
  const made = await createSelfSigned({
    hostNames: ['localhost', '127.0.0.1', '::1', 'gateway.example.test'],
    days: 10,
    from: new Date('2045-01-01T00:00:00Z'),
  });
  const certificate = new X509Certificate(made.certificatePem);
  assert.equal(certificate.verify(certificate.publicKey), true);
  assert.equal(certificate.checkPrivateKey(createPrivateKey(made.privateKeyPem)), true);
  assert.equal(certificate.subject, 'CN=localhost');
  assert.equal(certificate.validToDate.toISOString(), '2045-01-11T00:00:00.000Z');
  assert.equal(certificate.ca, false);
  assert.equal(certificate.checkHost('gateway.example.test'), 'gateway.example.test');
  assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1');
  assert.equal(certificate.checkIP('::1'), '::1');
});

test('content that is no key store is refused', () => {
  for (const content of [Buffer.alloc(0), Buffer.from('-----BEGIN CERTIFICATE-----'), Buffer.alloc(64, 0x30)]) {
    assert.throws(() => readKeyStore(content, 'x'), failsWith('MR_KEYSTORE_UNKNOWN_FORMAT', /neither/));
  }
});

test('a PKCS12 file that ends early is called damaged, wherever it ends', () => {
  const content = fixture('trust.p12');
  for (let length = 8; length < content.length; length += 13) {
    assert.throws(
      () => readKeyStore(content.subarray(0, length), 'trustpass'),
      failsWith('MR_KEYSTORE_MALFORMED', /./),
    );
  }
});

test('errors of a file name the file', () => {
  const file = join(fixtures, 'server.jks');
  assert.throws(
    () => readKeyStoreFile({ file, password: 'other' }),
    failsWith('MR_KEYSTORE_WRONG_PASSWORD', /server\.jks: /),
  );
  assert.throws(
    () => readKeyStoreFile({ file: join(fixtures, 'absent.p12'), password: 'x' }),
    failsWith('MR_KEYSTORE_UNREADABLE', /absent\.p12: /),
  );
});

test('an alias that does not exist is reported with those that do', () => {
  const entries = readKeyStore(fixture('chain.jks'), 'storepass');
  assert.throws(
    () => findEntry(entries, 'other'),
    failsWith('MR_KEYSTORE_ALIAS_MISSING', /"other".*"leaf", "ca"|"other".*"ca", "leaf"/),
  );
  assert.throws(() => tlsOptions({ keyStore: entries, alias: 'ca' }), failsWith('MR_KEYSTORE_ALIAS_MISSING', /"leaf"/));
});

test('TLS options carry key, chain and trusted certificates', () => {
  const keyStore = readKeyStore(fixture('chain.jks'), 'storepass');
  const trustStore = readKeyStore(fixture('trust.p12'), 'trustpass');
  const options = tlsOptions({ keyStore, trustStore });
  assert.equal(options.key, findEntry(keyStore, 'leaf').privateKeyPem);
  assert.equal(options.cert?.match(/BEGIN CERTIFICATE/g)?.length, 2);
  assert.equal(options.ca?.length, 1);
  assert.deepEqual(tlsOptions({}), {});
});
