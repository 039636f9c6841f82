import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkerPool } from './worker-pool.ts';

/** A pool whose works are noted, and the functions that free their workers. */
function pool(core: number, max: number, queue: number) {
  const workers = createWorkerPool({ core, max, queue, expectedWait: 60_000 });
  const free: (() => void)[] = [];
  return { free, take: () => workers.take((done) => void free.push(done)) };
}

test('beyond the core messages wait and run in their order as workers become free', () => {
  const { take, free } = pool(1, 5, -1);
  assert.deepEqual([take(), take(), take()], [true, true, true]);
  assert.equal(free.length, 1);
  free[0]?.();
  assert.equal(free.length, 2);
  free[0]?.();
  assert.equal(free.length, 2, 'a worker is freed once only');
  free[1]?.();
  assert.equal(free.length, 3);
});

test('a full queue brings in further workers up to the maximum, then refuses', () => {
  const { take, free } = pool(1, 2, 1);
  assert.deepEqual([take(), take(), take(), take()], [true, true, true, false]);
  assert.equal(free.length, 2);
});

test('a long queue of work that ends at once is done without running out of stack', () => {
  const workers = createWorkerPool({ core: 1, max: 1, queue: -1, expectedWait: 60_000 });
  let free = (): void => undefined;
  let done = 0;
  workers.take((end) => void (free = end));
  for (let count = 0; count < 50_000; count++) {
    workers.take((end) => {
      done++;
      end();
    });
  }
  free();
  assert.equal(done, 50_000);
});
