import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { openSqlite } from '#db';

const run = promisify(execFile);
const projectRoot = join(import.meta.dirname, '../..');

/** Adds to a counter fifty times, each time reading it first. */
const program = `
  import { openSqlite } from '#db';
  await using database = openSqlite({ path: process.argv[1] });
  for (let round = 0; round < 50; round++) {
    await database.transaction(async (transaction) => {
      const row = await transaction.get('SELECT value FROM counter');
      await transaction.run('UPDATE counter SET value = ?', [row.value + 1]);
    });
  }
`;

it('processes that share an embedded database do not lose each other’s changes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-db-'));
  try {
    const path = join(directory, 'shared.sqlite');
    await using database = openSqlite({ path });
    await database.run('CREATE TABLE counter (value INTEGER)');
    await database.run('INSERT INTO counter VALUES (0)');
    const node = [
      ...process.execArgv.filter((option) => !option.startsWith('--test')),
      '--input-type=module-typescript',
    ];
    const start = (): Promise<unknown> => run(process.execPath, [...node, '-e', program, path], { cwd: projectRoot });
    await Promise.all([start(), start(), start()]);
    assert.equal(database.get('SELECT value FROM counter')?.['value'], 150);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
