import type { Clock } from './clock.ts';

/** A clock that stands still until it is told to move. */
export interface TestClock extends Clock {
  /** Moves on by so many milliseconds and runs, in their order, the timers that fall due. */
  advance(milliseconds: number): void;
  /** Milliseconds until the next timer falls due; undefined when there is none. */
  untilNext(): number | undefined;
}

interface Timer {
  readonly due: number;
  readonly action: () => void;
}

/** Makes a clock for tests; `start` is its first reading in milliseconds since the epoch. */
export function createTestClock(start = Date.UTC(2026, 0, 1)): TestClock {
  const timers = new Set<Timer>();
  let passed = 0;
  return {
    now: () => start + passed,
    monotonic: () => passed,
    after(milliseconds, action) {
      const timer = { due: passed + milliseconds, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(milliseconds) {
      const end = passed + milliseconds;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.due <= end).sort((left, right) => left.due - right.due);
        if (!next) break;
        timers.delete(next);
        passed = Math.max(passed, next.due);
        next.action();
      }
      passed = end;
    },
    untilNext() {
      const dues = [...timers].map(({ due }) => due);
      return dues.length === 0 ? undefined : Math.max(0, Math.min(...dues) - passed);
    },
  };
}
