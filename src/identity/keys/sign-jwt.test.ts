import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { jwtVerify } from 'jose';
import { signJwt } from './sign-jwt.ts';
import type { SigningKey } from './signing-keys.ts';

const keys = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
};

for (const algorithm of ['RS256', 'ES256'] as const) {
  test(`${algorithm}: another library reads what was signed`, async () => {
    const privateKey = keys[algorithm];
    const publicKey = createPublicKey(privateKey);
    const key: SigningKey = { id: `one_${algorithm}`, algorithm, privateKey, publicKey, certificate: undefined };
    const claims = { sub: 'jürgen', aud: ['a', 'b'], n: 1 };
    for (const type of [undefined, 'at+jwt', 'at+jwt', 'logout+jwt']) {
      const token = await signJwt(claims, key, type);
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: [algorithm] });
      assert.deepEqual(payload, claims);
      assert.deepEqual(protectedHeader, { alg: algorithm, kid: key.id, ...(type !== undefined && { typ: type }) });
    }
  });
}

test('a key that cannot sign is an error of the promise', async () => {
  const publicKey = createPublicKey(keys.ES256);
  const key: SigningKey = { id: 'x', algorithm: 'ES256', privateKey: publicKey, publicKey, certificate: undefined };
  await assert.rejects(signJwt({}, key), { code: 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE' });
});
