import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version of this program, from the nearest package.json above this file. */
export const version: string = readVersion(import.meta.dirname);

function readVersion(directory: string): string {
  try {
    const text = readFileSync(join(directory, 'package.json'), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  } catch (error) {
    const parent = dirname(directory);
    if (parent === directory) throw error;
    return readVersion(parent);
  }
}
