import type { Clock, Home } from '#core';
import type { CompileContext } from '../../context.ts';
import { noBrokerFactories } from '../../brokers/broker-factories.ts';
import { createBrokerSender, type BrokerSender } from '../../brokers/broker-sender.ts';
import type { MessageStore } from '../message-store.ts';
import type { BrokerStore } from './broker-store.ts';

/**
 * The stores over brokers of this process. A store whose artifact stays the same keeps its connections and what it has
 * taken when the world around it changes; it is closed with the last world that has it.
 */
export interface BrokerStores extends AsyncDisposable {
  readonly clock: Clock;
  /** Sends messages of endpoints to brokers. */
  readonly sender: BrokerSender;
  /** The place of a file that a parameter names. */
  pathOf(path: string): string;
  /** The store with these facts for as long as the world of the context runs; made when there is none yet. */
  open(facts: readonly unknown[], context: CompileContext, make: () => BrokerStore): MessageStore;
}

export function createBrokerStores(home: Home, clock: Clock, factories = noBrokerFactories): BrokerStores {
  const all = new Map<string, { readonly store: BrokerStore; worlds: number }>();
  const sender = createBrokerSender({ clock, factories, pathOf: (path) => home.resolve(path) });
  return {
    clock,
    sender,
    pathOf: (path) => home.resolve(path),
    open(facts, { library, id }, make) {
      const key = JSON.stringify(facts);
      const entry = all.get(key) ?? { store: make(), worlds: 0 };
      library.lifecycle.add({
        id,
        start() {
          all.set(key, entry);
          if (++entry.worlds === 1) void entry.store.probe();
        },
        async stop() {
          if (--entry.worlds > 0) return;
          all.delete(key);
          await entry.store.close();
        },
      });
      return entry.store;
    },
    async [Symbol.asyncDispose]() {
      const entries = [...all.values()];
      all.clear();
      for (const { store } of entries) await store.close();
      await sender[Symbol.asyncDispose]();
    },
  };
}
