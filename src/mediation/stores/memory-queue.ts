import { pageOf, readCursor, type StorePage, type StoreReach } from './store-page.ts';

/** Something that waits, with the number under which it can be removed. */
export interface Queued<T> {
  readonly number: number;
  readonly message: T;
}

/** What waits in memory: unbounded, first in, first out. */
export class MemoryQueue<T> {
  // A map keeps the order of insertion and forgets one entry without moving the others.
  readonly #entries = new Map<number, Queued<T>>();
  #last = 0;

  get size(): number {
    return this.#entries.size;
  }

  offer(message: T): void {
    const number = ++this.#last;
    this.#entries.set(number, { number, message });
  }

  /** The first besides those with the numbers. */
  peek(besides: ReadonlySet<number>): Queued<T> | undefined {
    for (const entry of this.#entries.values()) if (!besides.has(entry.number)) return entry;
    return undefined;
  }

  remove(number: number): boolean {
    return this.#entries.delete(number);
  }

  clear(): void {
    this.#entries.clear();
  }

  find(number: number): Queued<T> | undefined {
    return this.#entries.get(number);
  }

  list({ limit, cursor }: StoreReach): StorePage<Queued<T>> {
    const [after = 0] = readCursor(cursor, 1);
    const found = this.#entries
      .values()
      .filter(({ number }) => number > after)
      .take(limit + 1)
      .toArray();
    return pageOf(found, limit, ({ number }) => String(number));
  }
}
