import { Worker } from 'node:worker_threads';
import { getLogger } from '#core';
import { toError } from '#errors';
import type { Turns } from './turns.ts';

/** What the thread is asked for. */
export type CheckpointTask = 'carry' | 'end';

/** What the thread found: pages in the log, and how many of them are in the file now. */
export interface LogState {
  readonly pages: number;
  readonly carried: number;
}

/** Carries what is committed from the log into the file, so that the log begins again. */
export interface Checkpoints {
  /** Tells that so many pieces of work were committed. */
  committed(count: number): void;
  /** Ends the thread; a checkpoint that runs is finished first. */
  close(): Promise<void>;
}

export interface CheckpointParts {
  readonly path: string;
  readonly busyTimeout: number;
  readonly turns: Turns;
  /** Pages of the log, beyond which those who write wait for a checkpoint that reaches its end. */
  readonly pageLimit?: number;
}

/** Pieces of work between two checkpoints. */
const interval = 2000;

const log = getLogger('db');

/**
 * Runs checkpoints on a thread of its own, with a connection of its own: they write pages all over the file and wait for
 * the disk, for as long as which nothing else would be answered. The log begins again when a checkpoint reached its end;
 * because that never happens while others go on writing, they have to wait once when it has become long.
 */
export function createCheckpoints(parts: CheckpointParts): Checkpoints {
  const { path, busyTimeout, turns, pageLimit = 16_000 } = parts;
  let worker: Worker | undefined;
  let count = 0;
  let isRunning = false;
  let isClosed = false;
  let told: ((state: LogState | undefined) => void) | undefined;

  const open = (): Worker => {
    const name = import.meta.url.endsWith('.ts') ? './checkpoint-worker.ts' : './checkpoint-worker.js';
    const opened = new Worker(new URL(name, import.meta.url), { workerData: { path, busyTimeout } });
    opened.on('message', (state: LogState) => told?.(state));
    opened.on('error', (error) => log.error({ err: toError(error), path }, 'a checkpoint of the database failed'));
    opened.on('exit', () => {
      if (worker === opened) worker = undefined;
      told?.(undefined);
    });
    return opened;
  };
  const carry = async (): Promise<LogState | undefined> => {
    if (isClosed) return undefined;
    worker ??= open();
    // Who writes may be waiting for it; otherwise it keeps no program from ending.
    worker.ref();
    const { promise, resolve } = Promise.withResolvers<LogState | undefined>();
    told = resolve;
    const task: CheckpointTask = 'carry';
    worker.postMessage(task);
    const state = await promise;
    if (!isClosed) worker?.unref();
    return state;
  };
  const run = async (): Promise<void> => {
    const state = await carry();
    if (!state || state.pages < pageLimit || state.carried === state.pages) return;
    const end = await turns.take();
    try {
      await carry();
    } finally {
      end();
    }
  };
  return {
    committed(more) {
      count += more;
      if (count < interval || isRunning) return;
      count = 0;
      isRunning = true;
      void run()
        .catch((error: unknown) => log.error({ err: toError(error), path }, 'a checkpoint of the database failed'))
        .finally(() => {
          isRunning = false;
        });
    },
    async close() {
      isClosed = true;
      if (!worker) return;
      worker.ref();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      // It may fail meanwhile, which is logged; the database is closed all the same.
      worker.once('exit', () => resolve());
      const end: CheckpointTask = 'end';
      worker.postMessage(end);
      await ended;
    },
  };
}
