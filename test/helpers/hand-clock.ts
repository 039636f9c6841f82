import type { Clock } from '#core';

/** A clock that is moved by hand. */
export interface HandClock extends Clock {
  move(milliseconds: number): void;
}

/** Makes one that shows the time of the machine until it is moved. */
export function createHandClock(): HandClock {
  let now = Date.now();
  const timers = new Set<{ at: number; action: () => void }>();
  return {
    now: () => now,
    monotonic: () => now,
    after(milliseconds, action) {
      const timer = { at: now + milliseconds, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    move(milliseconds) {
      now += milliseconds;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.action();
      }
    },
  };
}
