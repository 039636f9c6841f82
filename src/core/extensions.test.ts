import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isModuleSpecifier, loadExtension } from './extensions.ts';

const specifiers: readonly (readonly [text: string, expected: boolean])[] = [
  ['./csv.ts', true],
  ['../shared/csv.js#CsvBuilder', true],
  ['/opt/acme/csv.js', true],
  ['C:/acme/csv.js', true],
  ['@acme/csv#Builder', true],
  ['acme-csv', true],
  ['acme-csv/builder.js#Builder', true],
  ['com.acme.CsvBuilder', false],
  ['CsvBuilder', false],
];
for (const [text, expected] of specifiers) {
  test(`${text} ${expected ? 'names a module' : 'is taken for a Java class'}`, () => {
    assert.equal(isModuleSpecifier(text), expected);
  });
}

test('an extension is the default export of its module, or the one after #', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-extensions-'));
  try {
    writeFileSync(join(directory, 'a.mjs'), 'export default 1; export const other = 2;');
    assert.equal(await loadExtension('./a.mjs', directory), 1);
    assert.equal(await loadExtension('./a.mjs#other', directory), 2);
    assert.equal(await loadExtension('./a.mjs#none', directory), undefined);
    await assert.rejects(loadExtension('./missing.mjs', directory), /missing/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
