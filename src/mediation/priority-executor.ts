import type { WorkerPool } from '#core';

/** A queue of a priority executor. */
export interface PriorityQueue {
  readonly priority: number;
  /** Messages that wait in it at most; undefined for no limit. */
  readonly size: number | undefined;
}

export interface PriorityExecutorOptions {
  /** Messages at once before the queues are used. */
  readonly core: number;
  /** Messages at once when the queue of a message is full. */
  readonly max: number;
  readonly queues: readonly PriorityQueue[];
}

/** Runs messages by their priority (runtime-core 1.1). */
export interface PriorityExecutor {
  /** The executor as messages of one priority see it: a pool of workers that refuses them when their queue is full. */
  at(priority: number): WorkerPool;
}

type Work = (free: () => void) => void;

/**
 * Makes an executor that behaves as a thread pool of Java with a queue for each priority: the core first, then the
 * queue, then up to the maximum. A worker that becomes free takes from the highest queue in which somebody waits.
 */
export function createPriorityExecutor({ core, max, queues }: PriorityExecutorOptions): PriorityExecutor {
  const byPriority = [...queues]
    .sort((left, right) => right.priority - left.priority)
    .map((queue) => ({ ...queue, waiting: [] as Work[] }));
  let busy = 0;

  const run = (work: Work): void => {
    let isBusy = true;
    busy++;
    work(() => {
      if (!isBusy) return;
      isBusy = false;
      busy--;
      const next = byPriority.find(({ waiting }) => waiting.length > 0)?.waiting.shift();
      if (next) run(next);
    });
  };

  return {
    at(priority) {
      // A priority of which there is no queue shares the next lower one, and the lowest when there is none.
      const queue = byPriority.find((each) => each.priority <= priority) ?? byPriority.at(-1);
      return {
        take(work) {
          const isFull = !queue || queue.waiting.length >= (queue.size ?? Infinity);
          if (busy < core || (isFull && busy < max)) run(work);
          else if (isFull) return false;
          else queue.waiting.push(work);
          return true;
        },
      };
    },
  };
}
