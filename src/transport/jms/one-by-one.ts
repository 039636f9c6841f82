import type { Clock } from '#core';
import type { JmsMessage } from './message.ts';
import { jmsError, type JmsConsumer, type JmsDelivery } from './provider.ts';

/** A message that a broker pushed. */
export interface Arrival {
  /** @throws MillraceError when it cannot be read */
  read(): JmsMessage;
  acknowledge(): Promise<void>;
  /** Has it delivered again, here or elsewhere. */
  release(): Promise<void>;
}

/** What a slot tells of the broker. */
export interface SlotEvents {
  readonly arrive: (arrival: Arrival) => void;
  /** The broker pushes nothing any more, such as when the queue was deleted. */
  readonly lost: (reason: Error) => void;
}

/** Has the broker push one message, and the next one when that is acknowledged; the result ends it. */
export type OpenSlot = (events: SlotEvents) => Promise<() => Promise<void>>;

/** The connection as far as waiting for messages needs it. */
export interface SlotHost {
  readonly isOpen: boolean;
  readonly clock: Clock;
  /** Runs when the connection ends; the result takes that back. */
  onEnd(action: () => void): () => void;
}

interface Slot {
  /** What the broker pushed, until somebody asks for it. */
  waiting: Arrival | undefined;
  /** Whether a message was handed out and is not acknowledged. */
  isBusy: boolean;
  close: () => Promise<void>;
}

/**
 * Takes messages one by one from brokers that push. Each slot holds at most one message; when all of them are being
 * worked on and another is asked for, one more slot is opened. So nothing lies here that others could work on.
 */
export async function createOneByOne(host: SlotHost, openSlot: OpenSlot): Promise<JmsConsumer> {
  const slots: Slot[] = [];
  let wake: (() => void)[] = [];
  let isClosed = false;
  let lost: Error | undefined;

  const notify = (): void => {
    const all = wake;
    wake = [];
    for (const each of all) each();
  };
  const offEnd = host.onEnd(notify);

  const addSlot = async (): Promise<void> => {
    const slot: Slot = { waiting: undefined, isBusy: false, close: () => Promise.resolve() };
    slots.push(slot);
    try {
      slot.close = await openSlot({
        arrive(arrival) {
          slot.waiting = arrival;
          notify();
        },
        lost(reason) {
          lost ??= reason;
          notify();
        },
      });
    } catch (error) {
      slots.splice(slots.indexOf(slot), 1);
      throw error;
    }
  };

  const handOut = (slot: Slot, arrival: Arrival): JmsDelivery => {
    // What cannot be read stays the next one: nobody overtakes it unseen.
    const message = arrival.read();
    slot.waiting = undefined;
    slot.isBusy = true;
    return {
      message,
      get isLost() {
        return isClosed || lost !== undefined || !host.isOpen;
      },
      async acknowledge() {
        await arrival.acknowledge();
        slot.isBusy = false;
        notify();
      },
      async release() {
        // It may come again before the broker has answered.
        slot.isBusy = false;
        await arrival.release();
        notify();
      },
    };
  };

  await addSlot();
  return {
    async receive(milliseconds, signal) {
      let isOver = milliseconds <= 0;
      const stop = host.clock.after(milliseconds, () => {
        isOver = true;
        notify();
      });
      signal?.addEventListener('abort', notify);
      try {
        if (!lost && slots.every(({ isBusy }) => isBusy)) await addSlot();
        for (;;) {
          if (lost && !isClosed) throw lost;
          const ready = slots.find(({ waiting, isBusy }) => waiting && !isBusy);
          if (ready?.waiting) return handOut(ready, ready.waiting);
          if (isClosed || signal?.aborted) return undefined;
          if (!host.isOpen) throw jmsError('MR_JMS_LOST', 'the connection ended while it waited for a message');
          if (isOver) return undefined;
          await new Promise<void>((resolve) => wake.push(resolve));
        }
      } finally {
        stop();
        signal?.removeEventListener('abort', notify);
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      offEnd();
      notify();
      for (const slot of slots) if (host.isOpen) await slot.close();
    },
  };
}
