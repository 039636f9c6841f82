import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encryptionTypes, foldTo } from './encryption.ts';

test('n-fold gives the values of RFC 3961 A.1', () => {
  const rows = [
    ['012345', 8, 'be072631276b1955'],
    ['password', 7, '78a07b6caf85fa'],
    ['Rough Consensus, and Running Code', 8, 'bb6ed30870b7f0e0'],
    ['password', 21, '59e4a8ca7c0385c3c37b3f6d2000247cb6e6bd5b3e'],
    ['MASSACHVSETTS INSTITVTE OF TECHNOLOGY', 24, 'db3b0d8f0b061e603282b308a50841229ad798fab9540c1b'],
    ['Q', 21, '518a54a215a8452a518a54a215a8452a518a54a215'],
    ['kerberos', 16, '6b65726265726f737b9b5b2b93132b93'],
  ] as const;
  for (const [text, bytes, wanted] of rows)
    assert.equal(foldTo(Buffer.from(text), bytes).toString('hex'), wanted, text);
});

test('what was not encrypted with the key is not decrypted', () => {
  for (const type of encryptionTypes) {
    const key = Buffer.alloc(type.keyBytes, 1);
    for (const bytes of [0, 1, 16, 28, 32, 40, 100]) {
      assert.equal(type.decrypt(key, 2, Buffer.alloc(bytes, 7)), undefined, `type ${type.number}, ${bytes} bytes`);
    }
  }
});
