import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { browseEmbedded } from './browse.ts';

const task = { path: '/nonexistent/file', sql: 'SELECT 1', rowLimit: 1, hidden: [] };

test('a process that cannot be begun is a refusal each time, and takes nobody’s place', async () => {
  const { execPath } = process;
  process.execPath = '/nonexistent/node';
  try {
    for (let count = 0; count < 3; count++) {
      await assert.rejects(browseEmbedded(task, 5000), {
        code: 'MR_DB_BROWSE',
        message: 'The statement could not be run',
      });
    }
  } finally {
    process.execPath = execPath;
  }
  await assert.rejects(browseEmbedded(task, 5000), { code: 'MR_DB_BROWSE', message: /unable to open/ });
});
