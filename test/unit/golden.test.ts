import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { configureLog } from '#core';
import { runCase } from '../helpers/run-case.ts';

const root = join(import.meta.dirname, '..', 'cases');
/** `MILLRACE_UPDATE_CASES=1` writes what happens into the cases instead of comparing; read the difference afterwards. */
const update = process.env['MILLRACE_UPDATE_CASES'] === '1';

after(() => configureLog({ level: 'info', format: 'json' }));

for (const file of globSync('**/*.case', { cwd: root }).sort()) {
  test(`case ${file}`, async () => {
    const path = join(root, file);
    const { actual, expected } = await runCase(readFileSync(path, 'utf8'));
    if (update && actual !== expected) writeFileSync(path, actual);
    else assert.equal(actual, expected);
  });
}
