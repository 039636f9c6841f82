import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { getLogger } from '#core';
import type { FileSettings } from './file-parameters.ts';
import { lockEnding } from './scan.ts';

const log = getLogger('inbound');

/**
 * Writes the lock file of a file. One that was left behind is taken over when it is old enough.
 *
 * @param holder who takes the lock: machine and process
 * @returns what takes the lock away; undefined when somebody else has it
 */
export async function lockFile(
  path: string,
  settings: FileSettings,
  { holder, now }: { holder: string; now: number },
): Promise<(() => Promise<void>) | undefined> {
  if (!settings.locks) return () => Promise.resolve();
  const lock = `${path}${lockEnding}`;
  if (!(await create(lock, holder))) {
    if (!(await isLeftBehind(lock, settings, { holder, now }))) return undefined;
    log.warn({ lock }, 'a lock that was left behind is taken over');
    await rm(lock, { force: true });
    if (!(await create(lock, holder))) return undefined;
  }
  return () => rm(lock, { force: true });
}

/** False when it is there already. */
async function create(lock: string, holder: string): Promise<boolean> {
  try {
    await writeFile(lock, `${holder}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isLeftBehind(
  lock: string,
  { lockExpiry, ownLocksOnly }: FileSettings,
  { holder, now }: { holder: string; now: number },
): Promise<boolean> {
  if (lockExpiry === undefined) return false;
  const facts = await stat(lock).catch(() => undefined);
  if (!facts || now - facts.mtimeMs < lockExpiry) return false;
  const owner = (await readFile(lock, 'utf8')).trim();
  return !ownLocksOnly || machineOf(owner) === machineOf(holder);
}

function machineOf(holder: string): string {
  return holder.split('/', 1)[0] ?? '';
}
