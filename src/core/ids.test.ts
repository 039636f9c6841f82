import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRowIds, newMessageId } from './ids.ts';
import { createTestClock } from './test-clock.ts';

it('message ids are version 4 UUIDs and differ', () => {
  const ids = new Set(Array.from({ length: 1000 }, newMessageId));
  assert.equal(ids.size, 1000);
  for (const id of ids) assert.match(id, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

it('row ids are version 7 UUIDs that sort in the order of their making', () => {
  const clock = createTestClock();
  const newId = createRowIds(clock);
  const ids: string[] = [];
  for (let round = 0; round < 20_000; round++) {
    if (round % 7000 === 0) clock.advance(1);
    ids.push(newId());
  }
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids.slice(0, 50))
    assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
