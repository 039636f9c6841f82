import type { CounterList } from '#management';
import type { MediatorCounts } from '#mediation';

/**
 * Adds up the counters of the processes of a node. Each process is asked for what changed since the last time; readers
 * have a cursor of their own over the sums, which keep what processes counted that have ended.
 */
export interface MergedCounters {
  /** What to ask a process with. */
  cursorOf(key: number): number;
  take(key: number, list: CounterList): void;
  /** A process has ended: what it counted stays. */
  left(key: number): void;
  list(since: number): CounterList;
}

interface Sum {
  /** Latest figures by process, those of the ended ones under 0. */
  readonly parts: Map<number, MediatorCounts>;
  changed: number;
}

/** Stands for the processes that have ended. */
const endedKey = 0;

export function createMergedCounters(): MergedCounters {
  const cursors = new Map<number, number>();
  const sums = new Map<string, Sum>();
  let cursor = 0;
  return {
    cursorOf: (key) => cursors.get(key) ?? 0,
    take(key, list) {
      // Of two readers at the same time the second one brings what is known already.
      if (list.cursor <= (cursors.get(key) ?? -1)) return;
      cursors.set(key, list.cursor);
      for (const counts of list.mediators) {
        const known = sums.get(counts.id);
        // Another mediator stands in this place now.
        const isSame = known?.parts.values().next().value?.element === counts.element;
        const sum = known && isSame ? known : { parts: new Map<number, MediatorCounts>(), changed: 0 };
        sum.parts.set(key, counts);
        sum.changed = ++cursor;
        sums.set(counts.id, sum);
      }
    },
    left(key) {
      cursors.delete(key);
      for (const sum of sums.values()) {
        const last = sum.parts.get(key);
        if (!last) continue;
        sum.parts.delete(key);
        const ended = sum.parts.get(endedKey);
        // What was in a mediator then is nowhere now.
        const rest = { ...last, inFlight: 0 };
        sum.parts.set(endedKey, ended ? added(ended, rest) : rest);
        sum.changed = ++cursor;
      }
    },
    list: (since) => ({
      cursor,
      mediators: [...sums.values()]
        .filter(({ changed }) => changed > since)
        .flatMap(({ parts }) => {
          const [first, ...others] = parts.values();
          return first ? [others.reduce(added, first)] : [];
        }),
    }),
  };
}

function added(left: MediatorCounts, right: MediatorCounts): MediatorCounts {
  return {
    ...right,
    count: left.count + right.count,
    errors: left.errors + right.errors,
    inFlight: left.inFlight + right.inFlight,
    timeSum: left.timeSum + right.timeSum,
    histogram: right.histogram.map((count, index) => count + (left.histogram[index] ?? 0)),
    window: {
      count: left.window.count + right.window.count,
      errors: left.window.errors + right.window.errors,
      timeSum: left.window.timeSum + right.window.timeSum,
    },
  };
}
