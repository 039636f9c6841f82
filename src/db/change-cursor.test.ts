import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#core';
import { openChangeCursor } from './change-cursor.ts';
import { coreSchema } from './core-schema.ts';
import { migrate } from './migrations.ts';
import { openSqlite } from './sqlite/database.ts';

/** A log to which changes are written with the numbers that a test wants, as commits out of order do. */
async function openLog() {
  const clock = createTestClock();
  const database = openSqlite({ path: ':memory:', clock });
  await migrate(database, [coreSchema], clock);
  const sql = 'INSERT INTO mr_change_log (sequence, at, tenant, topic, change_key) VALUES (?, 0, ?, ?, ?)';
  const write = (...numbers: readonly number[]) =>
    Promise.all(numbers.map((number) => database.run(sql, [number, '-1234', 'topic', `key ${number}`])));
  return { clock, database, write, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

const numbersOf = (changes: readonly { readonly sequence: number }[]) => changes.map(({ sequence }) => sequence);

test('a cursor gives what comes after it was opened, each change once', async () => {
  await using log = await openLog();
  await log.write(1, 2);
  const cursor = await openChangeCursor(log.database, log.clock);
  assert.deepEqual(numbersOf(await cursor.next()), []);
  await log.write(3, 4);
  assert.deepEqual(numbersOf(await cursor.next()), [3, 4]);
  assert.deepEqual(numbersOf(await cursor.next()), []);
});

test('a change that is committed after a later one is not lost', async () => {
  await using log = await openLog();
  await log.write(1, 2, 3, 5);
  const cursor = await openChangeCursor(log.database, log.clock);
  await log.write(4, 8);
  assert.deepEqual(numbersOf(await cursor.next()), [4, 8]);
  await log.write(7);
  assert.deepEqual(numbersOf(await cursor.next()), [7]);
  await log.write(6, 9);
  assert.deepEqual(numbersOf(await cursor.next()), [6, 9]);
  assert.deepEqual(numbersOf(await cursor.next()), []);
});

test('a late change is found at once, however many changes came since an earlier number was left out', async () => {
  await using log = await openLog();
  const cursor = await openChangeCursor(log.database, log.clock);
  const rest = Array.from({ length: 1500 }, (_, index) => index + 2).filter((number) => number !== 1400);
  await log.write(...rest);
  for (let read = await cursor.next(); read.length > 0; read = await cursor.next());
  await log.write(1400);
  assert.deepEqual(numbersOf(await cursor.next()), [1400]);
});

test('a number that no transaction can bring any more is given up', async () => {
  await using log = await openLog();
  const cursor = await openChangeCursor(log.database, log.clock);
  await log.write(2);
  assert.deepEqual(numbersOf(await cursor.next()), [2]);
  log.clock.advance(60_001);
  await cursor.next();
  await log.write(1);
  assert.deepEqual(numbersOf(await cursor.next()), []);
});
