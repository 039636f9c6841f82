import { adoptForeign } from '../../src/mediation/stores/broker/broker-document.ts';
import type { BrokerQueue } from '../../src/mediation/stores/broker/broker-queue.ts';

/** A queue in memory that gives back what a consumer has when it is closed or its connection is cut. */
export function fakeBrokerQueue(texts: readonly string[]): {
  readonly queue: BrokerQueue;
  readonly waiting: string[];
  readonly cut: () => void;
} {
  const waiting = [...texts];
  let connection = 0;
  const queue: BrokerQueue = {
    send: async ({ id }) => void waiting.push(id),
    async consume() {
      const own = connection;
      let isClosed = false;
      const taken: string[] = [];
      return {
        async receive() {
          if (own !== connection) throw new Error('the connection is lost');
          const id = waiting.shift();
          if (id === undefined) return undefined;
          taken.push(id);
          return {
            message: await adoptForeign({ id, text: id, headers: new Map() }),
            get isLost() {
              return isClosed || own !== connection;
            },
            async acknowledge() {
              taken.splice(taken.indexOf(id), 1);
            },
          };
        },
        async close() {
          isClosed = true;
          waiting.unshift(...taken.splice(0));
        },
      };
    },
    browse: async ({ limit, skip }) =>
      Promise.all(
        waiting
          .filter((id) => !skip.has(id))
          .slice(0, limit)
          .map(async (id) => ({ id, message: await adoptForeign({ id, text: id, headers: new Map() }) })),
      ),
    async take(id) {
      const at = waiting.indexOf(id);
      if (at >= 0) waiting.splice(at, 1);
      return at >= 0;
    },
    purge: async () => void waiting.splice(0),
    size: async () => waiting.length,
    probe: async () => undefined,
    close: async () => undefined,
  };
  return { queue, waiting, cut: () => void connection++ };
}
