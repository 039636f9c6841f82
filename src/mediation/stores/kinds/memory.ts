import { MemoryQueue } from '../memory-queue.ts';
import type { MessageStore } from '../message-store.ts';
import type { StoredMessage } from '../stored-message.ts';

/** A store in memory: unbounded, first in, first out, lost with the process (mediators 9). */
export function createMemoryStore(name: string, className: string): MessageStore {
  const queue = new MemoryQueue<StoredMessage>();
  return {
    name,
    className,
    offer: async (message) => queue.offer(message),
    peek: async (besides) => queue.peek(besides),
    remove: async (number) => queue.remove(number),
    clear: async () => queue.clear(),
    size: async () => queue.size,
    list: async (reach) => queue.list(reach),
    find: async (number) => queue.find(number),
  };
}
