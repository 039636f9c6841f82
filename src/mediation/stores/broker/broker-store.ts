import { getLogger } from '#core';
import type { MessageStore, StoreEntry } from '../message-store.ts';
import { createBrowsedNumbers, mostBrowsed } from './browsed-numbers.ts';
import type { BrokerConsumer, BrokerDelivery, BrokerQueue } from './broker-queue.ts';

const log = getLogger('mediation.store');

/** A store over a queue, which outlives the worlds that name it. */
export interface BrokerStore extends MessageStore {
  readonly release: (owner: object) => Promise<void>;
  /** Warns when the broker cannot be reached now. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface BrokerStoreOptions {
  readonly name: string;
  readonly className: string;
  readonly queue: BrokerQueue;
}

interface Held {
  readonly owner: object;
  readonly delivery: BrokerDelivery;
}

/** Messages among which one that was looked at before is searched again. */
const searched = 200;

/**
 * A store in the queue of a broker. What was peeked at is received and not acknowledged: the broker shows it to nobody
 * else, and gives it to somebody again when this process ends before it was removed.
 */
export function createBrokerStore({ name, className, queue }: BrokerStoreOptions): BrokerStore {
  const held = new Map<number, Held>();
  const consumers = new Map<object, Promise<BrokerConsumer>>();
  const browsed = createBrowsedNumbers(() => ++last);
  /** Peeks of one owner follow each other, so that none waits for a message that another one has. */
  const turns = new Map<object, Promise<unknown>>();
  const anybody = {};
  let last = 0;
  let isClosed = false;

  const consumerOf = (owner: object): Promise<BrokerConsumer> => {
    const known = consumers.get(owner);
    if (known) return known;
    const opening = queue.consume();
    consumers.set(owner, opening);
    opening.catch(() => drop(owner, opening));
    return opening;
  };

  const drop = (owner: object, consumer: Promise<BrokerConsumer>): void => {
    if (consumers.get(owner) === consumer) consumers.delete(owner);
  };

  const heldBy = (owner: object, besides: ReadonlySet<number>): StoreEntry | undefined => {
    for (const [number, { owner: other, delivery }] of held) {
      if (delivery.isLost) held.delete(number);
      else if (other === owner && !besides.has(number)) return { number, message: delivery.message };
    }
    return undefined;
  };

  const take = async (owner: object, signal: AbortSignal | undefined): Promise<StoreEntry | undefined> => {
    const consumer = consumerOf(owner);
    try {
      const delivery = await (await consumer).receive(signal);
      if (!delivery) return undefined;
      const number = ++last;
      held.set(number, { owner, delivery });
      return { number, message: delivery.message };
    } catch (error) {
      // A consumer whose connection is lost is of no use; one with a message that cannot be read keeps it.
      drop(owner, consumer);
      await closeQuietly(consumer);
      throw error;
    }
  };

  const release = async (owner: object): Promise<void> => {
    const consumer = consumers.get(owner);
    consumers.delete(owner);
    for (const [number, { owner: other }] of held) if (other === owner) held.delete(number);
    if (consumer) await closeQuietly(consumer);
  };

  return {
    name,
    className,
    offer: (message) => queue.send(message),
    async peek(besides, taker) {
      const owner = taker?.owner ?? anybody;
      const before = turns.get(owner);
      const turn = (async () => {
        await before?.catch(() => undefined);
        return heldBy(owner, besides) ?? (await take(owner, taker?.signal));
      })();
      turns.set(owner, turn);
      try {
        return await turn;
      } finally {
        if (turns.get(owner) === turn) turns.delete(owner);
      }
    },
    async remove(number) {
      const found = held.get(number);
      if (found) {
        held.delete(number);
        if (found.delivery.isLost) return false;
        await found.delivery.acknowledge();
        return true;
      }
      const id = browsed.idOf(number);
      return id !== undefined && queue.take(id);
    },
    async clear() {
      await queue.purge();
    },
    async size() {
      const waiting = await queue.size();
      return waiting < 0 ? waiting : waiting + held.size;
    },
    async list({ limit, cursor }) {
      // A broker shows a queue from its front on: what was shown before is passed over by its name.
      const skip = browsed.passedBy(cursor);
      const room = Math.min(limit, mostBrowsed - skip.size);
      if (room <= 0) return { entries: [] };
      const found = await queue.browse({ limit: room + 1, skip });
      const shown = found.slice(0, room);
      const entries = shown.map(({ id, message }) => ({ number: browsed.numberOf(id), message }));
      if (found.length <= room) return { entries };
      return { entries, next: browsed.cursorAfter(new Set([...skip, ...shown.map(({ id }) => id)])) };
    },
    async find(number) {
      const id = browsed.idOf(number);
      if (id === undefined) return undefined;
      const found = await queue.browse({ limit: searched, skip: browsed.besides(id) });
      const message = found.find((each) => each.id === id)?.message;
      return message && { number, message };
    },
    release,
    async probe() {
      try {
        await queue.probe();
      } catch (error) {
        if (isClosed) return;
        const facts = { err: error, store: name };
        log.warn(facts, 'the broker of the message store cannot be reached; it is tried again when a message comes');
      }
    },
    async close() {
      isClosed = true;
      for (const owner of consumers.keys()) await release(owner);
      await queue.close();
    },
  };
}

/** A consumer that did not open, or whose connection is gone, has nothing to give back. */
async function closeQuietly(consumer: Promise<BrokerConsumer>): Promise<void> {
  await consumer.then((opened) => opened.close()).catch(() => undefined);
}
