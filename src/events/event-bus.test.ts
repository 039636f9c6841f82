import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { configureLog } from '#core';
import { createEventBus, type BusEvent } from './event-bus.ts';

const event = (topic: string): BusEvent => ({ topic, at: 0, attributes: new Map() });

after(() => configureLog({ level: 'info', format: 'json' }));

test('everybody who takes a topic gets its events, until they end it', () => {
  const bus = createEventBus();
  const got: string[] = [];
  const end = bus.subscribe('a', ({ topic }) => void got.push(`1 ${topic}`));
  bus.subscribe('a', ({ topic }) => void got.push(`2 ${topic}`));
  assert.equal(bus.publish(event('a')), 2);
  end();
  end();
  assert.equal(bus.publish(event('a')), 1);
  assert.equal(bus.publish(event('b')), 0);
  assert.deepEqual(got, ['1 a', '2 a', '2 a']);
});

test('a receiver that fails, now or later, keeps nothing from the others', async () => {
  const lines: string[] = [];
  configureLog({ level: 'error', format: 'json', destination: { write: (line) => void lines.push(line) } });
  const bus = createEventBus();
  const got: string[] = [];
  bus.subscribe('a', () => {
    throw new Error('at once');
  });
  bus.subscribe('a', () => Promise.reject(new Error('later')));
  bus.subscribe('a', () => void got.push('last'));
  assert.equal(bus.publish(event('a')), 3);
  await setImmediate();
  assert.deepEqual(got, ['last']);
  assert.equal(lines.length, 2);
});

test('a receiver may end its subscription while it receives', () => {
  const bus = createEventBus();
  let count = 0;
  const end = bus.subscribe('a', () => {
    count++;
    end();
  });
  bus.publish(event('a'));
  bus.publish(event('a'));
  assert.equal(count, 1);
});

test('an event that is handed over waits for everybody, and fails with who fails', async () => {
  const bus = createEventBus();
  let isTaken = false;
  bus.subscribe('a', async () => {
    await setImmediate();
    isTaken = true;
  });
  assert.equal(await bus.handOver(event('a')), 1);
  assert.equal(isTaken, true);
  bus.subscribe('a', () => {
    throw new Error('no room');
  });
  await assert.rejects(bus.handOver(event('a')), /no room/);
  assert.equal(await bus.handOver(event('b')), 0);
});
