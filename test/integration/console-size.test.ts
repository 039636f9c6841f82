import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildOnce } from '../../web/build.ts';

describe('the first useful page', () => {
  it('needs at most 200 kB of compressed script', async () => {
    const folder = await buildOnce();
    const index = readFileSync(join(folder, 'index.html'), 'utf8');
    const entry = /src="\/assets\/([^"]+)"/.exec(index)?.[1] ?? '';
    const needed = new Set<string>();
    const collect = (name: string): void => {
      if (needed.has(name)) return;
      needed.add(name);
      const text = readFileSync(join(folder, 'assets', name), 'utf8');
      for (const match of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) collect(match[1] ?? '');
    };
    collect(entry);
    const size = [...needed].reduce((sum, name) => sum + statSync(join(folder, 'assets', `${name}.gz`)).size, 0);
    assert.ok(size <= 200_000, `${size} bytes in ${[...needed].join(', ')}`);
    const all = globSync('*.js', { cwd: join(folder, 'assets') });
    assert.ok(needed.size < all.length, 'pages other than the first one come later');
  });
});
