import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#core';
import { createOneByOne, type SlotEvents } from './one-by-one.ts';
import type { JmsMessage } from './message.ts';

const host = { isOpen: true, clock: systemClock, onEnd: () => () => undefined };
const done = (): Promise<void> => Promise.resolve();
const message = { id: 'a' } as JmsMessage;
const arrival = { read: () => message, acknowledge: done, release: done };

test('what the broker ends fails whoever waits, and marks what was handed out', async () => {
  const slots: SlotEvents[] = [];
  const consumer = await createOneByOne(host, async (events) => {
    slots.push(events);
    return done;
  });
  slots[0]?.arrive(arrival);
  const delivery = await consumer.receive(60_000);
  assert.equal(delivery?.message, message);
  assert.equal(delivery.isLost, false);
  const waiting = consumer.receive(60_000);
  slots[0]?.lost(new Error('the queue was deleted'));
  await assert.rejects(waiting, /the queue was deleted/);
  await assert.rejects(consumer.receive(60_000), /the queue was deleted/);
  assert.equal(delivery.isLost, true);
  assert.equal(slots.length, 2);
});

test('a consumer that was closed gives nothing, whatever the broker says', async () => {
  const slots: SlotEvents[] = [];
  const consumer = await createOneByOne(host, async (events) => {
    slots.push(events);
    return async () => events.lost(new Error('the channel was closed'));
  });
  const waiting = consumer.receive(60_000);
  await consumer.close();
  assert.equal(await waiting, undefined);
  assert.equal(await consumer.receive(60_000), undefined);
});
