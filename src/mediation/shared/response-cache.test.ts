import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#core';
import { BoundedCache, CacheMemory } from './response-cache.ts';

const clock = createTestClock();

function cacheOf(memory: CacheMemory, entries = 1000): BoundedCache<{ readonly size: number }> {
  return new BoundedCache({ lifetime: 1000, entries, memory, clock });
}

test('caches share a number of bytes; what was used longest ago goes first, whoever has it', () => {
  const memory = new CacheMemory(100);
  const [one, two] = [cacheOf(memory), cacheOf(memory)];
  one.set('a', { size: 40 });
  two.set('b', { size: 40 });
  assert.ok(one.get('a'));
  two.set('c', { size: 30 });
  assert.ok(one.get('a'));
  assert.equal(two.get('b'), undefined);
  assert.ok(two.get('c'));
});

test('a value that is larger than the memory is not kept, and what was there under its key goes', () => {
  const cache = cacheOf(new CacheMemory(100));
  cache.set('a', { size: 10 });
  cache.set('a', { size: 101 });
  assert.equal(cache.get('a'), undefined);
});

test('bytes are given back when a value is replaced, forgotten or too old', () => {
  const cache = cacheOf(new CacheMemory(100));
  for (let round = 0; round < 10; round++) cache.set('a', { size: 60 });
  cache.set('b', { size: 40 });
  assert.ok(cache.get('a'));
  cache.forget('a');
  cache.set('c', { size: 60 });
  assert.ok(cache.get('b'));
  clock.advance(1000);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('c'), undefined);
  cache.set('d', { size: 100 });
  assert.ok(cache.get('d'));
});

test('a cache has at most so many values', () => {
  const cache = cacheOf(new CacheMemory(), 2);
  for (const key of ['a', 'b', 'c']) cache.set(key, { size: 1 });
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.get(key) !== undefined),
    [false, true, true],
  );
});
