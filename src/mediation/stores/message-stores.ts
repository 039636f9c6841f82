import { createMemoryStore } from './kinds/memory.ts';
import type { MessageStore } from './message-store.ts';

/**
 * The message stores that live in this process. They outlive a world: what waits in memory waits on when some artifact
 * changes.
 */
export interface MessageStores {
  memory(name: string, className: string): MessageStore;
}

export function createMessageStores(): MessageStores {
  const stores = new Map<string, MessageStore>();
  return {
    memory(name, className) {
      const known = stores.get(name);
      if (known) return known;
      const store = createMemoryStore(name, className);
      stores.set(name, store);
      return store;
    },
  };
}
