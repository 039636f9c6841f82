import { createHash } from 'node:crypto';
import type { Clock } from '#core';
import { createReopened, type Reopened } from './reopened.ts';

interface Connection {
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** Connections to the brokers that messages are sent to, each kept until nobody has used it for a while. */
export interface BrokerConnections extends AsyncDisposable {
  /** Works with the connection that these facts lead to; opens it when there is none. */
  use<C extends Connection, T>(
    facts: readonly unknown[],
    open: () => Promise<C>,
    work: (connection: C) => Promise<T>,
  ): Promise<T>;
}

/** Milliseconds after which an unused connection is closed. */
const idleTime = 60_000;

interface Entry {
  readonly opened: Reopened<Connection>;
  users: number;
  cancel: () => void;
}

export function createBrokerConnections(clock: Clock): BrokerConnections {
  const all = new Map<string, Entry>();
  return {
    async use<C extends Connection, T>(
      facts: readonly unknown[],
      open: () => Promise<C>,
      work: (connection: C) => Promise<T>,
    ): Promise<T> {
      // The facts hold passwords, which need not lie about as keys.
      const key = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
      const entry = all.get(key) ?? { opened: createReopened<Connection>(open), users: 0, cancel: () => undefined };
      all.set(key, entry);
      entry.cancel();
      entry.users++;
      try {
        return await work((await entry.opened.get()) as C);
      } finally {
        entry.users--;
        if (entry.users === 0) {
          entry.cancel = clock.after(idleTime, () => {
            all.delete(key);
            void entry.opened.close();
          });
        }
      }
    },
    async [Symbol.asyncDispose]() {
      const entries = [...all.values()];
      all.clear();
      for (const { opened, cancel } of entries) {
        cancel();
        await opened.close();
      }
    },
  };
}
