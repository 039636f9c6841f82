import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { configOf, textWith } from '../effects/effect-config.ts';
import type { EffectRow } from '../effects/effect-row.ts';

const folder = join(import.meta.dirname, '../effects');
/** Most rows spend their time waiting. */
const together = 4;

async function check(row: EffectRow): Promise<void> {
  const [first, second] = [textWith(row, row.first), textWith(row, row.second)];
  const firstEffect = await row.observe(configOf(row, first), first);
  const secondEffect = await row.observe(configOf(row, second), second);
  assert.notDeepEqual(firstEffect, secondEffect, 'both values had the same effect');
}

for (const file of globSync('*.effects.ts', { cwd: folder }).sort()) {
  const { rows } = (await import(join(folder, file))) as { rows: readonly EffectRow[] };
  for (const isAlone of [false, true]) {
    const chosen = rows.filter((row) => (row.alone === true) === isAlone);
    describe(
      `${file}, rows that ${isAlone ? 'run alone' : 'run together'}`,
      { concurrency: isAlone ? 1 : together },
      () => {
        for (const row of chosen) test(`${row.key} makes a difference`, () => check(row));
      },
    );
  }
}
