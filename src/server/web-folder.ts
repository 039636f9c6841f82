import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as builder from '../../web/build.ts';

/** The folder of this program, a repository or an unpacked release. */
const installation = findInstallation(import.meta.dirname);

/** The folder of the built console: that of a release, else one that is built from the sources when they changed. */
export async function openWebFolder(): Promise<string> {
  const source = join(installation, 'web/build.ts');
  if (!existsSync(source)) return join(installation, 'web');
  // By its path, because a release has no builder.
  const { buildOnce } = (await import(pathToFileURL(source).href)) as typeof builder;
  return buildOnce();
}

function findInstallation(directory: string): string {
  const parent = dirname(directory);
  return existsSync(join(directory, 'package.json')) || parent === directory ? directory : findInstallation(parent);
}
