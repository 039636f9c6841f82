import type { Worker } from 'node:worker_threads';
import { DeadlineError } from './deadline.ts';

/** What a thread says to a task: its answer, or why there is none. */
export type ThreadReply = { readonly answer: string } | { readonly failure: string };

export interface ThreadPoolOptions {
  /** Starts a thread that answers each message with a `ThreadReply`. */
  readonly open: () => Worker;
  /** Threads at once: large work must not take every core. */
  readonly maxThreads: number;
  /** Tasks that wait for a thread; more are refused. */
  readonly maxWaiting: number;
  /** Makes the error of a task that is refused, told by the thread to have failed, or lost with its thread. */
  readonly failure: (kind: 'refused' | 'told' | 'lost', cause: unknown) => Error;
}

/** Threads for work that would hold up messages. A thread that fails or takes too long is ended and replaced. */
export interface ThreadPool<Task> {
  /** @throws DeadlineError after `timeLimit` milliseconds of work, else what `failure` makes */
  run(task: Task, timeLimit: number): Promise<string>;
}

interface Job<Task> {
  readonly task: Task;
  readonly timeLimit: number;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes a pool that starts threads when there is work, and does not keep the process alive without any. */
export function createThreadPool<Task>({ open, maxThreads, maxWaiting, failure }: ThreadPoolOptions): ThreadPool<Task> {
  const idle: Worker[] = [];
  const waiting: Job<Task>[] = [];
  let threads = 0;

  const startNext = (): void => {
    if (waiting.length === 0) return;
    const thread = idle.pop() ?? (threads < maxThreads ? start() : undefined);
    const job = thread && waiting.shift();
    if (thread && job) perform(thread, job);
  };

  const start = (): Worker => {
    threads++;
    const thread = open();
    thread.unref();
    // An error that nobody listens to would end the process, also of a thread that has nothing to do or was ended.
    thread.on('error', () => {
      const place = idle.indexOf(thread);
      if (place < 0) return;
      idle.splice(place, 1);
      threads--;
    });
    return thread;
  };

  const perform = (thread: Worker, { task, timeLimit, resolve, reject }: Job<Task>): void => {
    thread.ref();
    // Only these two: the thread has listeners of its own, without which it hears nothing more.
    const release = (isUsable: boolean): void => {
      clearTimeout(timer);
      thread.off('message', answer);
      thread.off('error', lose);
      if (isUsable) {
        thread.unref();
        idle.push(thread);
      } else {
        threads--;
        void thread.terminate();
      }
      startNext();
    };
    const answer = (reply: ThreadReply): void => {
      release('answer' in reply);
      if ('answer' in reply) resolve(reply.answer);
      else reject(failure('told', reply.failure));
    };
    const lose = (error: unknown): void => {
      release(false);
      reject(failure('lost', error));
    };
    const timer = setTimeout(() => {
      release(false);
      reject(new DeadlineError(`stopped after ${timeLimit} ms`));
    }, timeLimit);
    thread.on('message', answer);
    thread.on('error', lose);
    thread.postMessage(task);
  };

  return {
    run: (task, timeLimit) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= maxWaiting) {
          reject(failure('refused', undefined));
          return;
        }
        waiting.push({ task, timeLimit, resolve, reject });
        startNext();
      }),
  };
}
