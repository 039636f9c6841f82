import type { Clock } from '#core';
import { compileQuartzCron } from '#core/java';

/** When something runs by itself: how long to wait from now to the next run; undefined when there is none. */
export interface Schedule {
  untilNext(): number | undefined;
}

/** What a schedule says: a period in milliseconds with a number of runs, or a cron expression in a time zone. */
export type Timing =
  | { readonly interval: number; readonly count: number; readonly delay: number }
  | { readonly cron: string; readonly zone: string };

/** Starts a schedule. The runs of a period that nobody was there for are left out. */
export function createSchedule(timing: Timing, clock: Clock): Schedule {
  if ('cron' in timing) {
    const cron = compileQuartzCron(timing.cron, timing.zone);
    let last = clock.now();
    return {
      untilNext() {
        const now = clock.now();
        // A clock that was set back does not repeat runs.
        last = cron.next(Math.max(now, last)) ?? Number.NaN;
        return Number.isNaN(last) ? undefined : last - now;
      },
    };
  }
  const { interval, count, delay } = timing;
  let runs = 0;
  let due = clock.monotonic() + delay;
  return {
    untilNext() {
      if (runs >= count) return undefined;
      const now = clock.monotonic();
      if (runs > 0) due += interval;
      if (runs > 0 && due < now) due += Math.floor((now - due) / interval) * interval;
      runs++;
      return Math.max(0, due - now);
    },
  };
}
