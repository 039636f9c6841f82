import { Worker } from 'node:worker_threads';
import { DeadlineError } from '#core';
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
  /** Milliseconds after which it is stopped. */
  readonly timeLimit: number;
}

/** What a worker says: the engine's answer, or why there is none. */
export type WorkerReply = { readonly answer: string } | { readonly failure: string };

/** Workers at once: large sources must not take every core. */
const maxWorkers = 2;
/** Transformations that wait for a worker; more are refused. */
const maxWaiting = 100;
/** Megabytes that a worker may use. */
const memoryLimit = 1024;

interface Job {
  readonly task: WorkerTask;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: unknown) => void;
}

const idle: Worker[] = [];
const waiting: Job[] = [];
let workers = 0;

/**
 * Transforms in a worker thread.
 *
 * @throws DeadlineError when it takes longer than it may, MillraceError when too many wait or the worker fails
 */
export function transformInWorker(task: WorkerTask): Promise<string> {
  return new Promise((resolve, reject) => {
    if (waiting.length >= maxWaiting) {
      reject(new MillraceError({ code: 'MR_XSLT_BUSY', message: 'Too many large transformations wait for a worker' }));
      return;
    }
    waiting.push({ task, resolve, reject });
    startNext();
  });
}

function startNext(): void {
  if (waiting.length === 0) return;
  const worker = idle.pop() ?? (workers < maxWorkers ? createWorker() : undefined);
  const job = worker && waiting.shift();
  if (worker && job) perform(worker, job);
}

/** The file beside this one: as it is here, or as a release has it. */
function createWorker(): Worker {
  workers++;
  const name = import.meta.url.endsWith('.ts') ? './worker.ts' : './xslt-worker.js';
  const worker = new Worker(new URL(name, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryLimit },
  });
  worker.unref();
  return worker;
}

function perform(worker: Worker, { task, resolve, reject }: Job): void {
  worker.ref();
  const { timeLimit, ...request } = task;
  const finish = (isUsable: boolean): void => {
    clearTimeout(timer);
    worker.removeAllListeners();
    if (isUsable) {
      worker.unref();
      idle.push(worker);
    } else {
      workers--;
      void worker.terminate();
    }
    startNext();
  };
  const timer = setTimeout(() => {
    finish(false);
    reject(new DeadlineError(`stopped after ${timeLimit} ms`));
  }, timeLimit);
  worker.once('message', (reply: WorkerReply) => {
    finish('answer' in reply);
    if ('answer' in reply) resolve(reply.answer);
    else reject(new MillraceError({ code: 'MR_XSLT_WORKER', message: reply.failure }));
  });
  worker.once('error', (error) => {
    finish(false);
    reject(
      new MillraceError({ code: 'MR_XSLT_WORKER', message: 'The transformation failed in its worker', cause: error }),
    );
  });
  worker.postMessage(request);
}
