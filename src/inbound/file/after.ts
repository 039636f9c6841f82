import { copyFile, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { formatJavaDate } from '#core/java';
import { MillraceError } from '#errors';
import type { AfterAction, FileSettings } from './file-parameters.ts';
import type { FoundFile } from './scan.ts';

/**
 * Does with a file what is to be done after it was taken. A file of the same name in the target folder is replaced.
 *
 * @throws MillraceError or Error of the file system when it cannot be done
 */
export async function finishFile(
  file: FoundFile,
  { kind, folder = '' }: AfterAction,
  { settings, now, zone }: { settings: FileSettings; now: number; zone: string },
): Promise<void> {
  if (kind === 'NONE') return;
  if (kind === 'DELETE') {
    await rm(file.path, { force: true });
    return;
  }
  const { moveTimestamp, subFolderTimestamp } = settings;
  const stamp = (format: string | undefined): string => (format === undefined ? '' : formatJavaDate(now, format, zone));
  const target = join(folder, stamp(subFolderTimestamp).replaceAll('/', '-'));
  await haveFolder(target, settings.createsFolders || subFolderTimestamp !== undefined);
  const moved = join(target, `${stamp(moveTimestamp).replaceAll('/', '-')}${file.name}`);
  await move(file.path, moved);
  if (settings.touches) await utimes(moved, now / 1000, now / 1000);
}

async function haveFolder(folder: string, mayMake: boolean): Promise<void> {
  if (mayMake) {
    await mkdir(folder, { recursive: true });
    return;
  }
  const facts = await stat(folder).catch(() => undefined);
  if (facts?.isDirectory()) return;
  const message = `There is no folder ${folder}; transport.vfs.CreateFolder would make it`;
  throw new MillraceError({ code: 'MR_INBOUND_FOLDER', message });
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to);
    await rm(from);
  }
}
