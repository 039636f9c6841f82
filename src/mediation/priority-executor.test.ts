import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPriorityExecutor } from './priority-executor.ts';

test('what waits with a higher priority runs first, and a full queue refuses', () => {
  const executor = createPriorityExecutor({
    core: 1,
    max: 1,
    queues: [
      { priority: 1, size: 2 },
      { priority: 10, size: 1 },
    ],
  });
  const order: string[] = [];
  const frees: (() => void)[] = [];
  const enqueue = (name: string, priority: number): boolean =>
    executor.at(priority).take((free) => {
      order.push(name);
      frees.push(free);
    });
  assert.deepEqual(
    [enqueue('first', 1), enqueue('low', 1), enqueue('none', 0), enqueue('high', 12), enqueue('too much', 10)],
    [true, true, true, true, false],
  );
  assert.deepEqual(order, ['first']);
  for (let index = 0; index < 4; index++) frees[index]?.();
  assert.deepEqual(order, ['first', 'high', 'low', 'none']);
});

test('beyond the core, messages run at once only when their queue is full', () => {
  const executor = createPriorityExecutor({ core: 1, max: 2, queues: [{ priority: 0, size: 1 }] });
  let running = 0;
  const enqueue = (): boolean => executor.at(0).take(() => void running++);
  assert.deepEqual([enqueue(), enqueue(), enqueue(), enqueue()], [true, true, true, false]);
  assert.equal(running, 2);
});
