import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#core';
import { openSqlite } from '#db';
import { fakeBrokerQueue } from '../../../test/helpers/fake-broker-queue.ts';
import { adoptForeign } from './broker/broker-document.ts';
import { createBrokerStore } from './broker/broker-store.ts';
import { createJdbcStore } from './kinds/jdbc.ts';
import { createMemoryStore } from './kinds/memory.ts';
import { createResequenceStore } from './kinds/resequence.ts';
import type { MessageStore, StoreEntry } from './message-store.ts';
import type { StoredMessage } from './stored-message.ts';

const clock = createTestClock();
const inMemory = async (): Promise<ReturnType<typeof openSqlite>> => openSqlite({ path: ':memory:', clock });
const table = { name: 'S', className: 'C', table: 'kept' };
/** A message that says its number. */
const numbered = (number: number): Promise<StoredMessage> =>
  adoptForeign({ id: String(number), text: String(number), headers: new Map() });

/** Kinds of stores, and how many messages are put into one: every page of the slower ones sorts or passes over them. */
const stores: Readonly<Record<string, readonly [open: () => MessageStore, messages: number]>> = {
  'in memory': [() => createMemoryStore('S', 'C'), 25_000],
  'in a database': [() => createJdbcStore({ ...table, database: inMemory }), 25_000],
  'that resequences': [
    () => createResequenceStore({ ...table, database: inMemory, idOf: ({ id }) => Number(id), timeout: 0, clock }),
    1000,
  ],
  'in a broker': [() => createBrokerStore({ name: 'S', className: 'C', queue: fakeBrokerQueue([]).queue }), 12_000],
};

for (const [where, [open, messages]] of Object.entries(stores)) {
  test(`all ${messages} messages of a store ${where} are seen once, while others take from it and add to it`, async () => {
    const store = open();
    const wanted = Array.from({ length: messages }, (_, index) => String(index + 1));
    for (const id of wanted) await store.offer(await numbered(Number(id)));
    const limit = messages / 50;
    const owner = { owner: {}, signal: new AbortController().signal };
    const seen: string[] = [];
    const taken: string[] = [];
    let cursor: string | undefined;
    do {
      const { entries, next } = await store.list({ limit, cursor });
      seen.push(...entries.map(({ message }) => message.id));
      cursor = next;
      for (let count = 0; count < limit / 5; count++) {
        const first = (await store.peek(new Set(), owner)) as StoreEntry;
        assert.equal(await store.remove(first.number), true);
        taken.push(first.message.id);
      }
      if (wanted.length === messages + 10) continue;
      wanted.push(String(wanted.length + 1));
      await store.offer(await numbered(wanted.length));
    } while (cursor !== undefined);
    // Nothing is taken that no page has shown.
    assert.deepEqual(seen, wanted);
    assert.deepEqual(taken, wanted.slice(0, taken.length));
    assert.ok(taken.length >= messages / 5);
  });

  test(`a message of a store ${where} is found by its number for as long as it is there`, async () => {
    const store = open();
    for (const number of [1, 2, 3]) await store.offer(await numbered(number));
    const [, second] = (await store.list({ limit: 2 })).entries;
    assert.ok(second);
    assert.equal((await store.find(second.number))?.message.id, '2');
    await store.remove(second.number);
    assert.equal(await store.find(second.number), undefined);
  });

  test(`a cursor that no page of a store ${where} has told is refused`, async () => {
    const store = open();
    await store.offer(await numbered(1));
    for (const cursor of ['x', '1.2.3', '1e400', '']) {
      await assert.rejects(store.list({ limit: 1, cursor }), { code: 'MR_STORE_CURSOR', status: 400 });
    }
    const { entries, ...rest } = await store.list({ limit: 1 });
    assert.deepEqual([entries.length, rest], [1, {}]);
  });
}

test('a queue that puts messages before others shows each of them once', async () => {
  const { queue, waiting } = fakeBrokerQueue(['1', '2', '3', '4', '5', '6']);
  const store = createBrokerStore({ name: 'S', className: 'C', queue });
  const page = async (cursor: string | undefined): Promise<readonly [string[], string | undefined]> => {
    const { entries, next } = await store.list({ limit: 2, cursor });
    return [entries.map(({ message }) => message.id), next];
  };
  await store.list({ limit: 10 });
  // What a consumer gave back comes first, also before what somebody has seen.
  waiting.unshift('given back');
  const [first, afterFirst] = await page(undefined);
  assert.deepEqual(first, ['given back', '1']);
  waiting.unshift('urgent');
  const [second, afterSecond] = await page(afterFirst);
  assert.deepEqual(second, ['urgent', '2']);
  waiting.splice(waiting.indexOf('1'), 1);
  const [third, afterThird] = await page(afterSecond);
  assert.deepEqual(third, ['3', '4']);
  assert.deepEqual(await page(afterThird), [['5', '6'], undefined]);
});
