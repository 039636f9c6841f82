import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBackoff, createConcurrencyLimiter, createTokenBucket } from './limits.ts';
import { createTestClock } from './test-clock.ts';

describe('concurrency limiter', () => {
  it('runs so many at once, keeps the order of the queue and refuses beyond it', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 2, queue: 2 });
    const order: number[] = [];
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const runs = gates.map((gate, index) =>
      limiter.run(() => {
        order.push(index);
        return gate.promise;
      }),
    );
    await assert.rejects(
      limiter.run(() => 1),
      { code: 'MR_LIMIT_QUEUE_FULL', status: 503 },
    );
    assert.deepEqual([order, limiter.running, limiter.waiting], [[0, 1], 2, 2]);
    gates[1]?.resolve();
    await runs[1];
    await Promise.resolve();
    assert.deepEqual([order, limiter.running, limiter.waiting], [[0, 1, 2], 2, 1]);
    for (const gate of gates) gate.resolve();
    await Promise.all(runs);
    assert.deepEqual([order, limiter.running, limiter.waiting], [[0, 1, 2, 3], 0, 0]);
  });

  it('frees the place of a task that fails', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 1, queue: 0 });
    await assert.rejects(
      limiter.run(() => {
        throw new Error('broken');
      }),
      /broken/,
    );
    assert.equal(await limiter.run(() => 'next'), 'next');
  });
});

describe('token bucket', () => {
  it('admits its capacity, then as much as it refills', () => {
    const clock = createTestClock();
    const bucket = createTokenBucket({ capacity: 3, perSecond: 2 }, clock);
    assert.deepEqual([bucket.take(2), bucket.take(), bucket.take()], [0, 0, 500]);
    clock.advance(500);
    assert.deepEqual([bucket.take(), bucket.take()], [0, 500]);
    clock.advance(60_000);
    assert.deepEqual([bucket.take(3), bucket.take(4)], [0, Infinity]);
  });
});

describe('back-off', () => {
  const options = { free: 1, base: 100, maximum: 1000, keys: 2 };

  it('doubles the wait with each failure up to the maximum, per key', () => {
    const clock = createTestClock();
    const backoff = createBackoff(options, clock);
    const waits = [];
    for (let failure = 0; failure < 7; failure++) {
      waits.push(backoff.delay('ann'));
      backoff.fail('ann');
    }
    assert.deepEqual(waits, [0, 0, 100, 200, 400, 800, 1000]);
    clock.advance(400);
    assert.equal(backoff.delay('ann'), 600);
    assert.equal(backoff.delay('bob'), 0);
  });

  it('forgets a key that succeeded, the oldest of too many, and what is long ago', () => {
    const clock = createTestClock();
    const backoff = createBackoff({ ...options, free: 0 }, clock);
    for (const key of ['a', 'b', 'c']) backoff.fail(key);
    backoff.succeed('b');
    assert.deepEqual([backoff.delay('a'), backoff.delay('b'), backoff.delay('c')], [0, 0, 100]);
    clock.advance(10_000);
    backoff.fail('c');
    assert.equal(backoff.delay('c'), 100);
  });
});
