import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSuite } from './read-suite.ts';

/** The suites at a path: the file itself, or every suite below the folder, in the order of their names. */
export function findSuites(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules' && name !== 'target')
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return findSuites(inner);
      return entry.name.endsWith('.xml') && isSuite(readFileSync(inner, 'utf8')) ? [inner] : [];
    });
}
