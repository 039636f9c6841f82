import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { systemClock } from '#core';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { createTurns } from './turns.ts';

/** A table with one column, and how many pieces of work each commit had. */
function prepare() {
  const connection = new SqliteConnection(':memory:', { busyTimeout: 0, readOnly: false });
  connection.exec('CREATE TABLE a (b INTEGER PRIMARY KEY)');
  const counts: number[] = [];
  const turns = createTurns(1000, systemClock);
  const parts = { connection, turns, clock: systemClock, limit: 1000 };
  const commits = new GroupCommit({ ...parts, committed: (count) => void counts.push(count) });
  const insert = (value: number): number => connection.run('INSERT INTO a (b) VALUES (?)', [value]).changes;
  const rows = (): unknown[] => connection.all('SELECT b FROM a ORDER BY b', []).map(({ b }) => b);
  return { commits, counts, insert, rows, [Symbol.dispose]: () => connection.close() };
}

test('work that only waits for what is there shares a commit', async () => {
  using ground = prepare();
  const { commits, counts, insert, rows } = ground;
  const transactions = [1, 2, 3, 4, 5].map((value) =>
    commits.transaction(async () => {
      await Promise.resolve();
      return insert(value);
    }),
  );
  await Promise.all(transactions);
  assert.deepEqual([rows(), counts], [[1, 2, 3, 4, 5], [5]]);
});

test('of several in a commit one that fails is undone alone', async () => {
  using ground = prepare();
  const { commits, counts, insert, rows } = ground;
  const results = await Promise.allSettled(
    [1, 2, 1, 3].map((value) =>
      commits.transaction(async () => {
        insert(value + 10);
        await Promise.resolve();
        return insert(value);
      }),
    ),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual([rows(), counts], [[1, 2, 3, 11, 12, 13], [3]]);
});

test('work that waits for something else ends the group', async () => {
  using ground = prepare();
  const { commits, counts, insert, rows } = ground;
  const slow = commits.transaction(async () => {
    insert(1);
    await sleep(5);
    return insert(2);
  });
  const after = [3, 4].map((value) => commits.transaction(async () => insert(value)));
  await Promise.all([slow, ...after]);
  assert.deepEqual(
    [rows(), counts],
    [
      [1, 2, 3, 4],
      [1, 2],
    ],
  );
});
