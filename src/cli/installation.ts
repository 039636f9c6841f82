import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of this program, a repository or an unpacked release: the nearest one above with a package.json. */
export const installation: string = findInstallation(import.meta.dirname);

function findInstallation(directory: string): string {
  const parent = dirname(directory);
  return existsSync(join(directory, 'package.json')) || parent === directory ? directory : findInstallation(parent);
}
