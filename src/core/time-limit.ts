import type { Clock } from './clock.ts';

/** Work that had not ended when its time was up. */
export class TimeLimitError extends Error {}

/**
 * What `work` gives when it ends within so many milliseconds. Work that takes longer goes on, but nobody waits for it.
 *
 * @throws TimeLimitError when the time is up, else what `work` throws
 */
export function withinTime<Value>(work: () => Promise<Value>, milliseconds: number, clock: Clock): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new TimeLimitError(`no answer within ${milliseconds} ms`));
    const cancel = clock.after(milliseconds, giveUp);
    work().then(resolve, reject).finally(cancel);
  });
}

/** Runs works that have names, each within the same time. */
export interface TimeLimited<Value> {
  /**
   * Runs `work`, or waits for the one of that name that goes on still: something that hangs is begun once only.
   *
   * @throws TimeLimitError when the time is up, else what `work` throws
   */
  run(name: string, work: () => Promise<Value>): Promise<Value>;
}

/** Nothing is under way at first. */
export function createTimeLimited<Value>(milliseconds: number, clock: Clock): TimeLimited<Value> {
  const underWay = new Map<string, Promise<Value>>();
  return {
    run(name, work) {
      const going = underWay.get(name) ?? work();
      underWay.set(name, going);
      const forget = (): void => void underWay.delete(name);
      going.then(forget, forget);
      return withinTime(() => going, milliseconds, clock);
    },
  };
}
