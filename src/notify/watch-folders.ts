import { existsSync, watch } from 'node:fs';

/** Milliseconds of silence after which files are taken to be written completely. */
const settleTime = 50;

/** Calls `changed` after something in one of the folders was written, replaced or removed. */
export function watchFolders(folders: readonly string[], changed: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const watchers = folders
    .filter((folder) => existsSync(folder))
    .map((folder) =>
      watch(folder, { persistent: false }, () => {
        clearTimeout(timer);
        timer = setTimeout(changed, settleTime);
      }),
    );
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
