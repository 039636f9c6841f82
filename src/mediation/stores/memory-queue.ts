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

  list(limit: number): readonly Queued<T>[] {
    return this.#entries
      .values()
      .take(Math.max(0, Math.trunc(limit)))
      .toArray();
  }
}
