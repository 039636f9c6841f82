/** Bounds of a shelf. */
export interface ShelfLimit {
  readonly maxSize: number;
  /** True drops what was not used for the longest time when there is too much; false refuses. */
  readonly removesOldest: boolean;
}

/** Keeps values until a time, in the order of their last use. */
export interface Shelf<T> {
  /** False when there is no room. */
  keep(key: string, entry: { readonly value: T; readonly until: number }, limit: ShelfLimit): boolean;
  /** Undefined for what is not there or is over. */
  find(key: string, now: number): T | undefined;
  drop(key: string): void;
  dropExpired(now: number): void;
  /** Entries that are kept, those included that are over and were not dropped yet. */
  readonly size: number;
}

export function createShelf<T>(): Shelf<T> {
  const kept = new Map<string, { readonly value: T; readonly until: number }>();
  const dropExpired = (now: number): void => {
    for (const [key, { until }] of kept) if (until <= now) kept.delete(key);
  };
  return {
    keep(key, entry, { maxSize, removesOldest }) {
      const [oldest] = kept.keys();
      if (kept.size >= maxSize) {
        if (!removesOldest || oldest === undefined) return false;
        kept.delete(oldest);
      }
      kept.set(key, entry);
      return true;
    },
    find(key, now) {
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      if (found.until <= now) return undefined;
      kept.set(key, found);
      return found.value;
    },
    drop: (key) => void kept.delete(key),
    dropExpired,
    get size() {
      return kept.size;
    },
  };
}
