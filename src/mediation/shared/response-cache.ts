import type { Clock } from '#core';

/** Most bytes of answers that all caches of the process keep together. */
const memoryLimit = 64 * 1024 * 1024;

/** Something that takes memory. */
export interface Sized {
  /** Bytes, roughly. */
  readonly size: number;
}

interface Entry<T> {
  readonly key: string;
  value: T;
  /** When it is forgotten, on the monotonic clock. */
  expires: number;
  readonly owner: { forget(key: string): void };
}

/**
 * The memory that caches share: what was used longest ago goes first when it gets too much, whichever cache has it.
 */
export class CacheMemory {
  readonly #limit: number;
  readonly #entries = new Set<Entry<Sized>>();
  #used = 0;

  constructor(limit = memoryLimit) {
    this.#limit = limit;
  }

  /** False for a value that is too large to be kept at all. */
  admits({ size }: Sized): boolean {
    return size <= this.#limit;
  }

  add(entry: Entry<Sized>): void {
    this.#entries.add(entry);
    this.#used += entry.value.size;
    for (const oldest of this.#entries) {
      if (this.#used <= this.#limit) return;
      oldest.owner.forget(oldest.key);
    }
  }

  touch(entry: Entry<Sized>): void {
    this.#entries.delete(entry);
    this.#entries.add(entry);
  }

  remove(entry: Entry<Sized>): void {
    if (this.#entries.delete(entry)) this.#used -= entry.value.size;
  }
}

export interface CacheOptions {
  /** Milliseconds for which a value is kept. */
  readonly lifetime: number;
  /** Most values; the one that was used longest ago goes first. */
  readonly entries: number;
  readonly memory: CacheMemory;
  readonly clock: Clock;
}

/** Values by key, bounded in number, time and bytes. */
export class BoundedCache<T extends Sized> {
  readonly #options: CacheOptions;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.expires <= this.#options.clock.monotonic()) {
      this.forget(key);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#options.memory.touch(entry);
    return entry.value;
  }

  set(key: string, value: T): void {
    const { lifetime, entries, memory, clock } = this.#options;
    this.forget(key);
    if (entries === 0 || lifetime <= 0 || !memory.admits(value)) return;
    const entry = { key, value, expires: clock.monotonic() + lifetime, owner: this };
    this.#entries.set(key, entry);
    memory.add(entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries) return;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#options.memory.remove(entry);
  }
}
