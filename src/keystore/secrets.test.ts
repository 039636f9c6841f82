import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { decryptSecret, encryptSecret, transformations } from './secrets.ts';

function keyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}
const own = keyPair();
const other = keyPair();

test('what is encrypted can be decrypted with every transformation', () => {
  for (const transformation of transformations) {
    const cipherText = encryptSecret('pässword', own.publicKeyPem, transformation);
    assert.match(cipherText, /^[A-Za-z0-9+/]+=*$/);
    assert.equal(decryptSecret(cipherText, own.privateKeyPem, transformation), 'pässword');
  }
});

test('the names of transformations are those of Java in any case', () => {
  const cipherText = encryptSecret('x', own.publicKeyPem);
  assert.equal(decryptSecret(cipherText, own.privateKeyPem, 'RSA/ECB/OAEPWithSHA-1AndMGF1Padding'), 'x');
  assert.equal(
    decryptSecret(encryptSecret('x', own.publicKeyPem, 'RSA'), own.privateKeyPem, 'RSA/ECB/PKCS1Padding'),
    'x',
  );
});

test('another key, another transformation and no Base64 have errors of their own', () => {
  const cipherText = encryptSecret('x', own.publicKeyPem);
  assert.throws(() => decryptSecret(cipherText, other.privateKeyPem), { code: 'MR_SECRET_KEY' });
  assert.throws(() => decryptSecret(cipherText, own.privateKeyPem, 'RSA/ECB/OAEPWithSHA-256AndMGF1Padding'), {
    code: 'MR_SECRET_KEY',
  });
  assert.throws(() => decryptSecret('[plain]', own.privateKeyPem), { code: 'MR_SECRET_FORMAT' });
  assert.throws(() => encryptSecret('x', own.publicKeyPem, 'AES/GCM/NoPadding'), { code: 'MR_SECRET_TRANSFORMATION' });
});

test('a text that is too long for the key is refused', () => {
  assert.throws(() => encryptSecret('x'.repeat(300), own.publicKeyPem), { code: 'MR_SECRET_ENCRYPT' });
});
