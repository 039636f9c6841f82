import type { Clock } from '#core';
import type { RateLimit } from './throttle-policy.ts';

/** The window of one group of callers. */
interface Window {
  begin: number;
  count: number;
  /** When a group that was refused may try again; undefined while it may. */
  until: number | undefined;
}

/** What a throttle asks; an answer that another process has to give is a promise. */
export interface ThrottleCounts {
  /** Takes a place among the requests under way; undefined when there is none, else what gives it back, once. */
  enter(maximum: number): Place | Promise<Place>;
  /** True when a request of the group may pass now; it is then counted. */
  admits(group: string, limit: RateLimit): boolean | Promise<boolean>;
}

/** Gives a place back; undefined where there was none. */
export type Place = (() => void) | undefined;

/** The counts of throttles by their id: those of one id count together, wherever they stand. */
export interface Throttles {
  of(id: string): ThrottleCounts;
}

/** Counts that live in this process; they outlive a change of artifacts. */
export function createThrottles(clock: Clock): { of(id: string): ThrottleCounter } {
  const counters = new Map<string, ThrottleCounter>();
  return {
    of(id) {
      const known = counters.get(id) ?? new ThrottleCounter(clock);
      counters.set(id, known);
      return known;
    },
  };
}

/**
 * Counts the requests that share a throttle: those under way, and those of each group within its unit time
 * (mediators 6.2). There are as many windows as the policies have groups.
 */
export class ThrottleCounter implements ThrottleCounts {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  #underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enter(maximum: number): Place {
    if (this.#underWay >= maximum) return undefined;
    this.#underWay++;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#underWay--;
    };
  }

  admits(group: string, limit: RateLimit): boolean {
    const { maximumCount, unitTime, prohibitTime } = limit;
    if (maximumCount === 0) return false;
    const now = this.#clock.monotonic();
    const window = this.#windows.get(group);
    if (!window) return this.#begin(group, now);
    if (window.until !== undefined) return window.until <= now && this.#begin(group, now);
    if (now - window.begin >= unitTime) return this.#begin(group, now);
    if (window.count < maximumCount) {
      window.count++;
      return true;
    }
    window.until = prohibitTime === undefined ? window.begin + unitTime : now + prohibitTime;
    return false;
  }

  #begin(group: string, now: number): true {
    this.#windows.set(group, { begin: now, count: 1, until: undefined });
    return true;
  }
}
