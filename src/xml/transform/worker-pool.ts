import { Worker } from 'node:worker_threads';
import { createThreadPool } from '#core';
import { MillraceError } from '#errors';

/** A stylesheet as the engine takes it. */
export interface Definition {
  readonly id: string;
  readonly form: 'source' | 'compiled';
  readonly text: string;
  /** JSON of the texts of other modules by name. */
  readonly modules: string;
}

/** One transformation. */
export interface WorkerTask {
  readonly definition: Definition;
  readonly source: string;
  readonly parameters: string;
  readonly method: string;
}

/** Megabytes that a worker may use. */
const memoryLimit = 1024;

const pool = createThreadPool<WorkerTask>({
  open: createWorker,
  maxThreads: 2,
  maxWaiting: 100,
  failure(kind, cause) {
    if (kind === 'refused') {
      return new MillraceError({ code: 'MR_XSLT_BUSY', message: 'Too many large transformations wait for a worker' });
    }
    const message = kind === 'told' ? String(cause) : 'The transformation failed in its worker';
    return new MillraceError({ code: 'MR_XSLT_WORKER', message, cause });
  },
});

/**
 * Transforms in a worker thread, which is ended after `timeLimit` milliseconds.
 *
 * @throws DeadlineError when it takes longer than it may, MillraceError when too many wait or the worker fails
 */
export function transformInWorker(task: WorkerTask, timeLimit: number): Promise<string> {
  return pool.run(task, timeLimit);
}

/** The file beside this one: as it is here, or as a release has it. */
function createWorker(): Worker {
  const name = import.meta.url.endsWith('.ts') ? './worker.ts' : './xslt-worker.js';
  return new Worker(new URL(name, import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: memoryLimit } });
}
