import type { Clock } from '#core';

/** Values that are good for a while. */
export interface TimedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
}

const mostEntries = 10_000;

/** A cache whose values last `time` milliseconds; none when it is 0, for ever when it is negative. */
export function createTimedCache<Value>(time: number, clock: Clock): TimedCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.until > clock.now()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value) {
      if (time === 0) return;
      if (entries.size >= mostEntries) entries.clear();
      entries.set(key, { value, until: time < 0 ? Infinity : clock.now() + time });
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
