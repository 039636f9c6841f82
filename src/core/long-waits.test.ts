import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LongWaits } from './long-waits.ts';

test('waits end in their order, and cancelled ones never', async () => {
  const waits = new LongWaits();
  const ended: string[] = [];
  await new Promise<void>((resolve) => {
    // The timers alone keep no process alive.
    const alive = setInterval(() => undefined, 1_000);
    waits.begin(180, () => {
      ended.push('last');
      clearInterval(alive);
      resolve();
    });
    waits.begin(20, () => ended.push('first'));
    waits.begin(20, () => ended.push('cancelled'))();
  });
  assert.deepEqual(ended, ['first', 'last']);
  assert.equal(waits.timers, 0);
});

test('what one wait does can cancel another one of the same moment', async () => {
  const waits = new LongWaits();
  const ended: string[] = [];
  const cancels: (() => void)[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const alive = setTimeout(resolve, 300);
  for (const name of ['one', 'other']) {
    cancels.push(
      waits.begin(30, () => {
        ended.push(name);
        for (const cancel of cancels) cancel();
      }),
    );
  }
  await promise;
  clearTimeout(alive);
  assert.equal(ended.length, 1);
});

test('many waits that are cancelled leave one timer at most', async () => {
  const waits = new LongWaits();
  for (let round = 0; round < 5; round++) {
    for (let count = 0; count < 1_000; count++) waits.begin(60_000 + round * 1_000, () => assert.fail())();
  }
  assert.equal(waits.timers, 1);
});
