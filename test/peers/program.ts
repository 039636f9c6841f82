import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

/** The path of a program, looked for on the search path and in places that are not on it; undefined without one. */
export function findProgram(name: string, places: readonly string[] = []): string | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    ...places.flatMap((place) => globSync(place)),
  ];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Tries something again and again until it works; what failed last is thrown after so many attempts. */
export async function untilWorks<T>(attempt: () => Promise<T>, attempts = 1200): Promise<T> {
  for (let left = attempts; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 1) throw error;
      await setTimeout(100);
    }
  }
}

/** The numbers of an account, for programs that refuse to run as root; undefined where that is not needed. */
export function accountOf(name: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string): number => Number(execFileSync('id', [option, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
