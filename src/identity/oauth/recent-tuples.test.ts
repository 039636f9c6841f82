import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecentTuples } from './recent-tuples.ts';

test('the tuples of lately are known, the oldest forgotten beyond the limit', () => {
  const recent = createRecentTuples(2);
  for (const tuple of ['a', 'b', 'b', 'c']) recent.add(tuple);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((tuple) => recent.has(tuple)),
    [false, true, true, false],
  );
});
