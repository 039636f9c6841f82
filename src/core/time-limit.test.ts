import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from './test-clock.ts';
import { createTimeLimited, TimeLimitError, withinTime } from './time-limit.ts';

describe('a time limit', () => {
  it('gives what ends in time, and says how long it waited for the rest', async () => {
    const clock = createTestClock();
    assert.equal(await withinTime(async () => 'done', 50, clock), 'done');
    const late = withinTime(() => new Promise(() => undefined), 50, clock);
    clock.advance(50);
    await assert.rejects(
      late,
      (error) => error instanceof TimeLimitError && error.message === 'no answer within 50 ms',
    );
  });

  it('passes on what the work throws', async () => {
    const failing = async (): Promise<never> => {
      throw new RangeError('too far');
    };
    await assert.rejects(withinTime(failing, 50, createTestClock()), RangeError);
    await assert.rejects(createTimeLimited(50, createTestClock()).run('a', failing), RangeError);
  });

  it('begins a work that hangs once, and the next one when it has ended', async () => {
    const clock = createTestClock();
    const limited = createTimeLimited<string>(50, clock);
    const { promise, resolve } = Promise.withResolvers<string>();
    let begun = 0;
    const work = (): Promise<string> => {
      begun++;
      return promise;
    };
    for (let round = 0; round < 2; round++) {
      const waiting = limited.run('a', work);
      clock.advance(50);
      await assert.rejects(waiting, TimeLimitError);
    }
    assert.equal(begun, 1);
    const last = limited.run('a', work);
    resolve('at last');
    assert.equal(await last, 'at last');
    assert.equal(await limited.run('a', async () => 'anew'), 'anew');
    assert.equal(await limited.run('b', async () => 'other'), 'other');
  });
});
