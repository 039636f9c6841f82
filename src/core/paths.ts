import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { MillraceError } from '#errors';

/**
 * The absolute path of `path` below `root`. `path` uses `/`; an empty one is the root itself. Neither its text nor a
 * symbolic link on the way may lead out of the root; what does not exist yet is checked as far as it exists.
 *
 * @throws MillraceError `MR_PATH_ESCAPE` (400) when it would leave the root or could be read in two ways
 */
export function resolveInside(root: string, path: string): string {
  const reason = faultOf(path);
  if (reason !== undefined) throw escapeError(path, reason);
  const target = resolve(root, path);
  if (!isInside(realPathOfExisting(resolve(root)), realPathOfExisting(target))) {
    throw escapeError(path, 'a symbolic link leads out of its directory');
  }
  return target;
}

/** Whether `path` is `root` or below it; both absolute and normal, compared as text. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function faultOf(path: string): string | undefined {
  if (path.includes('\u0000')) return 'it contains a NUL character';
  if (path.includes('\\')) return 'it contains a backslash';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'it is absolute';
  return path.split('/').includes('..') ? 'it contains ".."' : undefined;
}

/** The real path of the deepest part that exists, with the rest appended. */
function realPathOfExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parent === path) throw error;
    return join(realPathOfExisting(parent), relative(parent, path));
  }
}

function escapeError(path: string, reason: string): MillraceError {
  return new MillraceError({
    code: 'MR_PATH_ESCAPE',
    status: 400,
    message: `The path ${JSON.stringify(path)} is refused: ${reason}`,
  });
}
