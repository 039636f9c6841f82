import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '#core';
import { createCheckpoints } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';
import { openSqlite, type EmbeddedDatabase } from './database.ts';
import { createTurns } from './turns.ts';

/** A folder that is removed at the end. */
function temporaryFile() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-checkpoints-'));
  return { path: join(folder, 'a.sqlite'), [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

const rowText = 'x'.repeat(2000);

async function write(database: EmbeddedDatabase, rows: number): Promise<void> {
  const insert = (): Promise<unknown> => database.run('INSERT INTO a (b) VALUES (?)', [rowText]);
  for (let done = 0; done < rows; done += 50) await Promise.all(Array.from({ length: 50 }, insert));
}

test('what is committed is carried into the file while others write, and nothing of it is lost', async () => {
  using file = temporaryFile();
  {
    await using database = openSqlite({ path: file.path });
    await database.run('CREATE TABLE a (b TEXT)');
    const before = statSync(file.path).size;
    for (let round = 0; round < 400 && statSync(file.path).size === before; round++) await write(database, 100);
    assert.ok(statSync(file.path).size > before, 'the file grows before the database is closed');
    await write(database, 100);
    const [{ count } = { count: 0 }] = database.all('SELECT count(*) AS count FROM a');
    assert.ok(Number(count) > 1000);
  }
  assert.throws(() => statSync(`${file.path}-wal`), { code: 'ENOENT' }, 'the last one that closes empties the log');
});

test('a log that became long keeps who writes out until it is carried over, once', async () => {
  using file = temporaryFile();
  const connection = new SqliteConnection(file.path, { busyTimeout: 1000, readOnly: false });
  connection.exec('CREATE TABLE a (b TEXT)');
  const inner = createTurns(5000, systemClock);
  const taken = Promise.withResolvers<void>();
  const turns = { ...inner, take: () => inner.take().finally(() => taken.resolve()) };
  const checkpoints = createCheckpoints({ path: file.path, busyTimeout: 1000, turns, pageLimit: 1 });
  // Somebody who still reads what was there before keeps the end of the log out of reach.
  const reader = new SqliteConnection(file.path, { busyTimeout: 1000, readOnly: true });
  reader.exec('BEGIN');
  reader.all('SELECT count(*) FROM a', []);
  connection.run('INSERT INTO a (b) VALUES (?)', [rowText]);
  checkpoints.committed(2000);
  await taken.promise;
  assert.equal(inner.isTaken(), true);
  const next = await inner.take();
  next();
  assert.equal(inner.isTaken(), false);
  reader.exec('COMMIT');
  await checkpoints.close();
  reader.close();
  connection.close();
});

test('after the end nothing is begun, and a database that wrote little has no thread to end', async () => {
  using file = temporaryFile();
  const turns = createTurns(1000, systemClock);
  const checkpoints = createCheckpoints({ path: file.path, busyTimeout: 1000, turns });
  checkpoints.committed(1);
  await checkpoints.close();
  checkpoints.committed(100_000);
  await checkpoints.close();
  assert.throws(() => statSync(file.path), { code: 'ENOENT' });
});
