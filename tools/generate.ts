import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { generators } from './generators.ts';

/**
 * `npm run generate` writes every generated file; with `--check` it only compares and fails on a difference, so that
 * the files of the repository are always what their sources say.
 */
const root = dirname(import.meta.dirname);
const check = process.argv.includes('--check');
let stale = 0;
for (const generator of generators) {
  const path = join(root, generator.path);
  const wanted = await generator.render();
  const present = readIfPresent(path);
  if (present === wanted) continue;
  if (check) {
    stale++;
    console.error(`${generator.path} is not what its source says; run: npm run generate`);
  } else {
    writeFileSync(path, wanted);
    console.log(`wrote ${generator.path}`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
