import type { MessageStore, StoreEntry } from '../message-store.ts';

/** A store in memory: unbounded, first in, first out, lost with the process (mediators 9). */
export function createMemoryStore(name: string, className: string): MessageStore {
  // A map keeps the order of insertion and forgets one entry without moving the others.
  const entries = new Map<number, StoreEntry>();
  let last = 0;
  return {
    name,
    className,
    async offer(message) {
      const number = ++last;
      entries.set(number, { number, message });
    },
    async peek(besides) {
      for (const entry of entries.values()) if (!besides.has(entry.number)) return entry;
      return undefined;
    },
    async remove(number) {
      return entries.delete(number);
    },
    async clear() {
      entries.clear();
    },
    async size() {
      return entries.size;
    },
    async list(limit) {
      return [...entries.values()].slice(0, limit);
    },
  };
}
