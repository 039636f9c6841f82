import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configOf, textWith } from '../effects/effect-config.ts';
import type { EffectRow } from '../effects/effect-row.ts';

const folder = join(import.meta.dirname, '../effects');

for (const file of globSync('*.effects.ts', { cwd: folder }).sort()) {
  const { rows } = (await import(join(folder, file))) as { rows: readonly EffectRow[] };
  for (const row of rows) {
    test(`${row.key} makes a difference (${file})`, async () => {
      const [first, second] = [textWith(row, row.first), textWith(row, row.second)];
      const firstEffect = await row.observe(configOf(row, first), first);
      const secondEffect = await row.observe(configOf(row, second), second);
      assert.notDeepEqual(firstEffect, secondEffect, 'both values had the same effect');
    });
  }
}
