import { statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Milliseconds of silence after which a file is taken to be written completely. */
const settleTime = 50;

/** Calls `changed` after one of the files was written or replaced. */
export function watchFiles(files: Iterable<string>, changed: () => void): Disposable {
  const names = [...new Set(files)];
  let seen = stateOf(names);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = stateOf(names);
    if (now === seen) return;
    seen = now;
    changed();
  };
  // The folders are watched, since a file that is replaced by another takes its watcher with it.
  const watchers = [...new Set(names.map((name) => dirname(name)))].map((folder) =>
    watch(folder, { persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(look, settleTime);
    }),
  );
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function stateOf(names: readonly string[]): string {
  const states = names.map((name) => {
    const stats = statSync(name, { throwIfNoEntry: false });
    return stats ? [stats.ino, stats.size, stats.mtimeMs] : [];
  });
  return JSON.stringify(states);
}
