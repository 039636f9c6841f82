import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointTask, LogState } from './checkpoints.ts';

/** Carries the log of the database that it is told into the file, each time that it is asked. */
const { path, busyTimeout } = workerData as { readonly path: string; readonly busyTimeout: number };
const database = new DatabaseSync(path, { timeout: busyTimeout });
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
// Passive: waits neither for who writes nor for who reads, and leaves what they still need for the next time.
const statement = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (task: CheckpointTask) => {
  if (task === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  const { log = 0, checkpointed = 0 } = statement.get() ?? {};
  const state: LogState = { pages: Number(log), carried: Number(checkpointed) };
  parentPort?.postMessage(state);
});
