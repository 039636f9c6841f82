import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cipherList, tlsVersions } from './tls-protocols.ts';

test('old versions of TLS count only when nothing newer is listed', () => {
  const all = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
  assert.deepEqual(tlsVersions(all, 'key'), { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' });
  assert.deepEqual(tlsVersions(['tlsv1.3'], 'key'), { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' });
  assert.deepEqual(tlsVersions(['TLSv1', 'TLSv1.1'], 'key'), { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
  assert.throws(() => tlsVersions(['SSLv3'], 'the.key'), { code: 'MR_CONFIG_TLS_VERSIONS', message: /the\.key/ });
});

test('cipher suites are named as in Java; none means those of OpenSSL', () => {
  assert.deepEqual(cipherList(['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'], 'key'), {
    ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
  });
  assert.deepEqual(cipherList(undefined, 'key'), {});
});
