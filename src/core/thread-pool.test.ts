import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { DeadlineError } from './deadline.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

/** A thread that answers "ok", tells a failure, throws, or never answers. */
const program = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', (task) => {
    if (task === 'loop') for (;;);
    if (task === 'throw') throw new Error('thrown');
    parentPort.postMessage(task === 'fail' ? { failure: 'told' } : { answer: task + ' by ' + threadId });
  });`;

function createPool(maxThreads: number, maxWaiting: number): { pool: ThreadPool<string>; opened: () => number } {
  let opened = 0;
  const pool = createThreadPool<string>({
    open() {
      opened++;
      return new Worker(program, { eval: true });
    },
    maxThreads,
    maxWaiting,
    failure: (kind, cause) => new Error(kind, { cause }),
  });
  return { pool, opened: () => opened };
}

const patient = 60_000;

test('a thread does one task after the other', async () => {
  const { pool, opened } = createPool(1, 10);
  const answers = await Promise.all(['a', 'b', 'c'].map((task) => pool.run(task, patient)));
  assert.deepEqual(
    answers.map((answer) => answer.slice(0, 5)),
    ['a by ', 'b by ', 'c by '],
  );
  assert.equal(opened(), 1);
});

test('a thread that fails or never answers is replaced', async () => {
  const { pool, opened } = createPool(1, 10);
  await assert.rejects(pool.run('fail', patient), (error) => error instanceof Error && error.cause === 'told');
  await assert.rejects(pool.run('throw', patient), /^Error: lost$/);
  await assert.rejects(pool.run('loop', 50), DeadlineError);
  assert.match(await pool.run('a', patient), /^a by /);
  assert.equal(opened(), 4);
});

test('a task that would have to wait behind too many is refused', async () => {
  const { pool } = createPool(1, 1);
  const first = pool.run('a', patient);
  const second = pool.run('b', patient);
  await assert.rejects(pool.run('c', patient), /^Error: refused$/);
  await Promise.all([first, second]);
});
