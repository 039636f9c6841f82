import { getLogger, systemClock, type Clock } from '#core';

const log = getLogger('entry');

/** Lets only so many messages be mediated at once. */
export interface WorkerPool {
  /**
   * Runs `work` now, or as soon as a worker is free; false when no worker is free and the queue is full. `work` gets
   * the function that frees its worker, which may be called more than once.
   */
  take(work: (free: () => void) => void): boolean;
}

export interface WorkerPoolOptions {
  /** Messages at once before the queue is used. */
  readonly core: number;
  /** Messages at once when the queue is full. */
  readonly max: number;
  /** Messages that wait; negative for no limit. */
  readonly queue: number;
  /** Milliseconds of waiting after which the log says so. */
  readonly expectedWait: number;
  readonly clock?: Clock;
}

interface Waiting {
  readonly work: (free: () => void) => void;
  readonly since: number;
}

/**
 * Makes a pool that behaves as a thread pool of Java: the core first, then the queue, then up to the maximum. A worker
 * is busy from a request's arrival until the flow ends or waits for a back end without blocking.
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { core, max, queue, expectedWait, clock = systemClock } = options;
  const waiting: Waiting[] = [];
  let busy = 0;

  const run = (work: Waiting['work']): void => {
    let isBusy = true;
    busy++;
    work(() => {
      if (!isBusy) return;
      isBusy = false;
      busy--;
      next();
    });
  };

  const next = (): void => {
    const first = waiting.shift();
    if (!first) return;
    const waited = clock.monotonic() - first.since;
    if (waited > expectedWait) {
      log.warn({ waited, queued: waiting.length }, 'a message waited longer for a worker than expected');
    }
    run(first.work);
  };

  return {
    take(work) {
      if (busy < Math.max(1, core)) run(work);
      else if (queue < 0 || waiting.length < queue) waiting.push({ work, since: clock.monotonic() });
      else if (busy < max) run(work);
      else {
        log.error({ busy, queued: waiting.length }, 'SYSTEM ALERT: every worker is busy and the queue is full');
        return false;
      }
      return true;
    },
  };
}
