import type { Clock } from '#core';

/** Slows down who fails again and again: each further failure doubles the time until the next attempt counts. */
export interface Backoff {
  /** Milliseconds that the slowest of these names has to wait; 0 when an attempt may be made. */
  wait(names: readonly string[]): number;
  failed(names: readonly string[]): void;
  succeeded(names: readonly string[]): void;
}

export interface BackoffOptions {
  readonly clock: Clock;
  /** Failures that cost nothing, by the part of a name before its first colon. */
  readonly free: Readonly<Record<string, number>>;
  readonly longest?: number;
  /** Most names that are remembered; the oldest go first. */
  readonly capacity?: number;
}

/** The first wait, in milliseconds. */
const first = 1000;
/** Failures are forgotten after this time without another. */
const memory = 15 * 60_000;

interface Failures {
  readonly count: number;
  readonly last: number;
  readonly until: number;
}

/** Failures are remembered on this node, within bounds. */
export function createBackoff({ clock, free, longest = 60_000, capacity = 50_000 }: BackoffOptions): Backoff {
  const known = new Map<string, Failures>();
  const find = (name: string): Failures | undefined => {
    const failures = known.get(name);
    if (!failures || failures.last + memory > clock.now()) return failures;
    known.delete(name);
    return undefined;
  };
  return {
    wait: (names) => Math.max(0, ...names.map((name) => (find(name)?.until ?? 0) - clock.now())),
    failed(names) {
      for (const name of names) {
        const count = (find(name)?.count ?? 0) + 1;
        const beyond = count - (free[name.slice(0, name.indexOf(':'))] ?? 0);
        const delay = beyond < 0 ? 0 : Math.min(longest, first * 2 ** Math.min(beyond, 30));
        known.delete(name);
        known.set(name, { count, last: clock.now(), until: clock.now() + delay });
        if (known.size > capacity) known.delete(known.keys().next().value ?? '');
      }
    },
    succeeded(names) {
      for (const name of names) known.delete(name);
    },
  };
}
