import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getLogger, type Clock } from '#core';
import { toError } from '#errors';
import { readStoreFile, type Decrypt, type StoreFile } from './store-file.ts';
import type { UserStore } from './user-store.ts';

const log = getLogger('identity');

/** How often a folder is looked at, at most. */
const lookInterval = 1000;
/** After how long a store is tried again whose database or directory was away. */
const retryInterval = 10_000;

export interface StoreFolderParts {
  /** Need not exist. */
  readonly folder: string;
  readonly clock: Clock;
  readonly decrypt: Decrypt;
  readonly open: (file: StoreFile) => Promise<UserStore>;
}

/** The stores whose files lie in one folder, as the folder is now. */
export interface StoreFolder extends AsyncDisposable {
  stores(): Promise<readonly UserStore[]>;
  /** Names of the files whose stores cannot be opened as the files are now. */
  faulty(): Promise<readonly string[]>;
}

interface Opened {
  readonly state: string;
  readonly store: UserStore | undefined;
  readonly isFaulty: boolean;
  /** When it is tried again; never where the file itself is wrong. */
  readonly retryAt?: number;
}

/**
 * Keeps the stores of a folder in step with its files. A file that cannot be read leaves the store as it was; the log
 * says where the file is wrong.
 */
export function createStoreFolder({ folder, clock, decrypt, open }: StoreFolderParts): StoreFolder {
  const opened = new Map<string, Opened>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const files = listFiles(folder);
    for (const [name, before] of opened) {
      if (files.has(name)) continue;
      opened.delete(name);
      await before.store?.[Symbol.asyncDispose]();
      log.info({ file: join(folder, name) }, 'a user store was removed');
    }
    for (const [name, state] of files) {
      const before = opened.get(name);
      if (before?.state === state) continue;
      opened.set(name, { state, ...(await deploy(join(folder, name), before?.store)) });
    }
    for (const [name, each] of opened) {
      if (each.retryAt !== undefined && each.retryAt <= clock.now()) void retry(name, each);
    }
  };

  const deploy = async (
    path: string,
    before: UserStore | undefined,
    isRetry = false,
  ): Promise<Omit<Opened, 'state'>> => {
    let file: StoreFile | undefined;
    try {
      file = await readStoreFile(readFileSync(path, 'utf8'), path, decrypt);
      const store = file.isDisabled ? undefined : await open(file);
      await before?.[Symbol.asyncDispose]();
      log.info({ file: path, store: file.domain }, store ? 'a user store was deployed' : 'a user store is disabled');
      return { store, isFaulty: false };
    } catch (error) {
      const facts = { file: path, err: toError(error) };
      if (isRetry) log.debug(facts, 'a user store cannot be deployed yet');
      else log.error(facts, 'a user store cannot be deployed');
      return { store: before, isFaulty: true, ...(file && { retryAt: clock.now() + retryInterval }) };
    }
  };

  /** Nobody waits for what has been away. */
  const retry = async (name: string, before: Opened): Promise<void> => {
    opened.set(name, { ...before, retryAt: Number.POSITIVE_INFINITY });
    const found = await deploy(join(folder, name), before.store, true);
    // The file may have changed or gone meanwhile.
    if (opened.get(name)?.state === before.state) opened.set(name, { state: before.state, ...found });
    else if (!found.isFaulty) await found.store?.[Symbol.asyncDispose]();
  };

  const lookAgain = async (): Promise<void> => {
    if (clock.now() - lookedAt < lookInterval) return;
    looking ??= look().finally(() => {
      looking = undefined;
      lookedAt = clock.now();
    });
    await looking;
  };

  return {
    async stores() {
      await lookAgain();
      return [...opened].toSorted(([left], [right]) => (left < right ? -1 : 1)).flatMap(([, { store }]) => store ?? []);
    },
    async faulty() {
      await lookAgain();
      return [...opened].flatMap(([name, { isFaulty }]) => (isFaulty ? [name] : [])).toSorted();
    },
    async [Symbol.asyncDispose]() {
      for (const { store } of opened.values()) await store?.[Symbol.asyncDispose]();
      opened.clear();
    },
  };
}

/** The files by name, with what changes when they do. */
function listFiles(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return files;
  for (const name of readdirSync(folder).sort()) {
    const stats = name.endsWith('.xml') ? statSync(join(folder, name), { throwIfNoEntry: false }) : undefined;
    if (stats?.isFile()) files.set(name, `${stats.ino} ${stats.size} ${stats.mtimeMs}`);
  }
  return files;
}
