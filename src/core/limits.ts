import { MillraceError } from '#errors';
import { type Clock, systemClock } from './clock.ts';

/** Lets only so many tasks run at once; further ones wait in a bounded queue. */
export interface ConcurrencyLimiter {
  readonly running: number;
  readonly waiting: number;
  /**
   * Runs `task` as soon as there is room.
   *
   * @throws MillraceError `MR_LIMIT_QUEUE_FULL` (503) when the queue is full; otherwise what the task throws
   */
  run<Value>(task: () => Promise<Value> | Value): Promise<Value>;
}

/**
 * Makes a limiter.
 *
 * @param options `concurrency` tasks at once (at least 1), `queue` tasks waiting (0: none)
 */
export function createConcurrencyLimiter(options: {
  readonly concurrency: number;
  readonly queue: number;
}): ConcurrencyLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiting.length;
    },
    async run(task) {
      if (running >= options.concurrency) {
        if (waiting.length >= options.queue) throw queueFull(options.queue);
        // The place is handed over by the one that ends, so that nobody overtakes the queue.
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else {
        running++;
      }
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
}

/** Admits `capacity` at once and refills steadily. */
export interface TokenBucket {
  /** Takes `count` tokens and gives 0, or takes nothing and gives the milliseconds until there would be enough. */
  take(count?: number): number;
}

/**
 * Makes a full bucket.
 *
 * @param options `capacity` tokens at most; `perSecond` tokens refilled in a second
 */
export function createTokenBucket(
  options: { readonly capacity: number; readonly perSecond: number },
  clock: Clock = systemClock,
): TokenBucket {
  const { capacity, perSecond } = options;
  let tokens = capacity;
  let updated = clock.monotonic();
  return {
    take(count = 1) {
      const now = clock.monotonic();
      tokens = Math.min(capacity, tokens + ((now - updated) / 1000) * perSecond);
      updated = now;
      if (count <= tokens) {
        tokens -= count;
        return 0;
      }
      return count > capacity ? Infinity : ((count - tokens) / perSecond) * 1000;
    },
  };
}

/** Makes the holder of a key (a user, an address) wait longer after each failure. */
export interface Backoff {
  /** Milliseconds that the key still has to wait; 0 when it may try. */
  delay(key: string): number;
  fail(key: string): void;
  succeed(key: string): void;
}

export interface BackoffOptions {
  /** Failures that cost nothing. */
  readonly free: number;
  /** Milliseconds after the first failure beyond them; doubles with each further one. */
  readonly base: number;
  readonly maximum: number;
  /** Most keys that are remembered; beyond it the oldest failure is forgotten. */
  readonly keys: number;
}

/** Makes a back-off without any failures; a key is forgotten when it has not failed for ten times `maximum`. */
export function createBackoff(options: BackoffOptions, clock: Clock = systemClock): Backoff {
  const failures = new Map<string, { readonly count: number; readonly at: number }>();
  const present = (key: string): { readonly count: number; readonly at: number } | undefined => {
    const failure = failures.get(key);
    if (!failure || clock.monotonic() - failure.at < options.maximum * 10) return failure;
    failures.delete(key);
    return undefined;
  };
  return {
    delay(key) {
      const failure = present(key);
      if (!failure || failure.count <= options.free) return 0;
      const wait = Math.min(options.maximum, options.base * 2 ** (failure.count - options.free - 1));
      return Math.max(0, failure.at + wait - clock.monotonic());
    },
    fail(key) {
      const count = (present(key)?.count ?? 0) + 1;
      failures.delete(key);
      failures.set(key, { count, at: clock.monotonic() });
      if (failures.size > options.keys) failures.delete(failures.keys().next().value ?? '');
    },
    succeed: (key) => void failures.delete(key),
  };
}

function queueFull(queue: number): MillraceError {
  return new MillraceError({
    code: 'MR_LIMIT_QUEUE_FULL',
    status: 503,
    message: 'The server is busy; try again later',
    detail: `${queue} tasks wait already`,
  });
}
