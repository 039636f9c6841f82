import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillRandom } from './random.ts';

test('random bytes fill the rest of the target, and no two are alike', () => {
  const seen = new Set<string>();
  for (let count = 0; count < 2000; count++) {
    const target = Buffer.alloc(32, 0xaa);
    fillRandom(target, 6);
    assert.equal(target.toString('hex', 0, 6), 'aa'.repeat(6));
    seen.add(target.toString('hex', 6));
  }
  assert.equal(seen.size, 2000);
});

test('every byte comes as often as the others', () => {
  const counts = Array.from({ length: 256 }, () => 0);
  const target = Buffer.alloc(4096);
  for (let round = 0; round < 64; round++) {
    fillRandom(target);
    for (const byte of target) counts[byte] = (counts[byte] ?? 0) + 1;
  }
  // 1024 of each are expected, give or take 32; eight times that does not happen by chance.
  for (const count of counts) assert.ok(Math.abs(count - 1024) < 256, `a byte came ${count} times`);
});
