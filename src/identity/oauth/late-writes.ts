/** A row that is written after its token was given. */
interface Job {
  readonly keys: readonly string[];
  readonly write: () => Promise<void>;
  readonly done: () => void;
}

/** Most rows that wait; what comes beyond is written at once. */
const queueLimit = 10_000;

/**
 * Writes rows behind the answers, some at a time (identity 4.5). Whoever looks for such a row waits until it is there, so
 * that on this node nothing else differs.
 */
export class LateWrites {
  readonly #size: number;
  readonly #limit: number;
  readonly #queue: Job[] = [];
  readonly #pending = new Map<string, Promise<void>>();
  #running = 0;

  /** @param size how many rows are written at a time; 0 writes none late */
  constructor(size: number, limit = queueLimit) {
    this.#size = size;
    this.#limit = limit;
  }

  /** Whether one more row may be written late. */
  hasRoom(): boolean {
    return this.#size > 0 && this.#queue.length < this.#limit;
  }

  /** Takes a row that is found by `keys`. `write` deals with its failures itself. */
  add(keys: readonly string[], write: () => Promise<void>): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const key of keys) this.#pending.set(key, promise);
    this.#queue.push({ keys, write, done: resolve });
    this.#next();
  }

  /** Waits for the row with a key, if one is on its way. */
  settled(key: string): Promise<void> | undefined {
    return this.#pending.get(key);
  }

  /** Waits for every row that is on its way. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending.values());
  }

  #next(): void {
    if (this.#running >= this.#size) return;
    const job = this.#queue.shift();
    if (!job) return;
    this.#running++;
    void job.write().finally(() => {
      this.#running--;
      for (const key of job.keys) this.#pending.delete(key);
      job.done();
      this.#next();
    });
  }
}
