import type { Clock } from '#core';

/** Waits that end early when their owner stops. */
export interface Pauses {
  readonly isStopped: boolean;
  /** Ends other waits with these. */
  readonly signal: AbortSignal;
  /** Waits so many milliseconds; false when it was stopped before. */
  wait(milliseconds: number): Promise<boolean>;
  /** Ends all waits, and those that are begun later at once. */
  stop(): void;
}

export function createPauses(clock: Clock): Pauses {
  const endings = new Set<() => void>();
  const ending = new AbortController();
  return {
    get isStopped() {
      return ending.signal.aborted;
    },
    signal: ending.signal,
    wait(milliseconds) {
      if (ending.signal.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const end = (isOver: boolean): void => {
          endings.delete(cancel);
          resolve(isOver);
        };
        const stopTimer = clock.after(milliseconds, () => end(true));
        const cancel = (): void => {
          stopTimer();
          end(false);
        };
        endings.add(cancel);
      });
    },
    stop() {
      ending.abort();
      for (const cancel of endings) cancel();
    },
  };
}
