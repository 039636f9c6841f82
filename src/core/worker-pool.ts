import { systemClock, type Clock } from './clock.ts';
import { getLogger, type Logger } from './log.ts';

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
  /** Where waiting and refusals are told. */
  readonly log?: Logger;
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
  const { core, max, queue, expectedWait, clock = systemClock, log = getLogger('core') } = options;
  const least = Math.max(1, core);
  /** Work that waits, from `head` on. */
  let waiting: Waiting[] = [];
  let head = 0;
  let busy = 0;
  /** A worker that becomes free takes the next message, also one that came in beyond the core. */
  let limit = least;
  let isTaking = false;

  const run = (work: Waiting['work']): void => {
    let isBusy = true;
    busy++;
    work(() => {
      if (!isBusy) return;
      isBusy = false;
      limit = Math.max(least, busy);
      busy--;
      next();
    });
  };

  // A loop, not a recursion: work that ends at once frees its worker while this runs.
  const next = (): void => {
    if (isTaking) return;
    isTaking = true;
    try {
      while (head < waiting.length && busy < limit) startFirst();
    } finally {
      isTaking = false;
    }
  };

  const startFirst = (): void => {
    const first = waiting[head] as Waiting;
    head++;
    // Taking the first of a long array moves all the others; now and then is enough.
    if (head * 2 > waiting.length) {
      waiting = waiting.slice(head);
      head = 0;
    }
    const waited = clock.monotonic() - first.since;
    if (waited > expectedWait) {
      log.warn({ waited, queued: waiting.length - head }, 'a message waited longer for a worker than expected');
    }
    run(first.work);
  };

  return {
    take(work) {
      if (busy < least) run(work);
      else if (queue < 0 || waiting.length - head < queue) waiting.push({ work, since: clock.monotonic() });
      else if (busy < max) run(work);
      else {
        log.error({ busy, queued: waiting.length - head }, 'SYSTEM ALERT: every worker is busy and the queue is full');
        return false;
      }
      return true;
    },
  };
}
