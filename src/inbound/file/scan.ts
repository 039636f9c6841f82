import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { FileSettings } from './file-parameters.ts';

/** A file that waits to be taken. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  /** Its folder below the one that is looked at. */
  readonly relativePath: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** Endings of the files that say what becomes of the file beside them. */
export const lockEnding = '.lock';
export const failEnding = '.fail';

/**
 * The files that an endpoint may take now, in its order.
 *
 * @throws Error of the file system when the place cannot be looked at
 */
export async function scanFiles(settings: FileSettings, now: number): Promise<readonly FoundFile[]> {
  const { place, pattern, minimumAge, maximumAge } = settings;
  const root = await stat(place.path);
  const paths = root.isDirectory() ? await listFiles(place.path, place.isDeep) : [place.path];
  const all = new Set(paths);
  const top = root.isDirectory() ? place.path : dirname(place.path);
  const found: FoundFile[] = [];
  for (const path of paths) {
    const name = basename(path);
    if (path.endsWith(lockEnding) || path.endsWith(failEnding) || all.has(`${path}${failEnding}`)) continue;
    if (pattern && !pattern.matches(name)) continue;
    // It may be gone since the folder was read.
    const facts = await stat(path).catch(() => undefined);
    if (!facts?.isFile()) continue;
    const age = now - facts.mtimeMs;
    if (age < minimumAge || age > maximumAge) continue;
    found.push({
      path,
      name,
      relativePath: relative(top, dirname(path)),
      size: facts.size,
      modified: Math.round(facts.mtimeMs),
    });
  }
  return sorted(found, settings).slice(0, settings.mostFiles);
}

async function listFiles(folder: string, isDeep: boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive: isDeep, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const keys: Readonly<Record<Exclude<FileSettings['sortBy'], 'NONE'>, (file: FoundFile) => string | number>> = {
  Name: ({ name }) => name,
  Size: ({ size }) => size,
  Lastmodifiedtimestamp: ({ modified }) => modified,
};

function sorted(files: readonly FoundFile[], { sortBy, ascending }: FileSettings): readonly FoundFile[] {
  if (sortBy === 'NONE') return files;
  const key = keys[sortBy];
  const sign = ascending ? 1 : -1;
  return files.toSorted((left, right) => {
    const [a, b] = [key(left), key(right)];
    return a === b ? 0 : a < b ? -sign : sign;
  });
}
