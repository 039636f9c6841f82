import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createHome } from '#core';

/** Where a running server leaves the number of its process, for `millrace reload`. */
export function pidFileOf(directory: string): string {
  return join(createHome(directory).data, 'millrace.pid');
}

/** Leaves the number of this process; disposing takes it away again unless another process has taken the place. */
export function writePid(directory: string): Disposable {
  const file = pidFileOf(directory);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${process.pid}\n`);
  return {
    [Symbol.dispose]() {
      if (readPid(directory) === process.pid) rmSync(file, { force: true });
    },
  };
}

/** The process that serves a home; undefined when none does. */
export function readPid(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidFileOf(directory), 'utf8'));
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
