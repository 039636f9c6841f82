import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '#core';
import { createPool, type PoolSource } from './pool.ts';

interface Fake {
  readonly id: number;
  works: boolean;
}

function createSource(): PoolSource<Fake> & { readonly log: string[]; readonly made: Fake[] } {
  const log: string[] = [];
  const made: Fake[] = [];
  return {
    log,
    made,
    async create() {
      const fake = { id: made.length, works: true };
      made.push(fake);
      return fake;
    },
    destroy: async ({ id }) => void log.push(`destroy ${id}`),
    async validate({ id, works }, query) {
      log.push(`validate ${id} ${query}`);
      return works;
    },
    reset: async ({ id }, autoCommit) => void log.push(`reset ${id} ${autoCommit}`),
  };
}

describe('pool', () => {
  it('lends up to its limit, lets others wait and lends again what came back', async () => {
    const pool = createPool(createSource(), { maxActive: 1, defaultAutoCommit: false });
    const gate = Promise.withResolvers<void>();
    const first = pool.use(async ({ id }) => gate.promise.then(() => id));
    const second = pool.use(async ({ id }) => id);
    assert.deepEqual(pool.counters, { active: 1, idle: 0, waiting: 1, maxActive: 1 });
    gate.resolve();
    assert.deepEqual(await Promise.all([first, second]), [0, 0]);
    assert.deepEqual(pool.counters, { active: 0, idle: 1, waiting: 0, maxActive: 1 });
  });

  it('refuses who waits too long', async () => {
    const clock = createTestClock();
    const pool = createPool(createSource(), { maxActive: 1, maxWait: 500 }, clock);
    const gate = Promise.withResolvers<void>();
    const first = pool.use(() => gate.promise);
    const refused = assert.rejects(
      pool.use(async () => 1),
      { code: 'MR_POOL_EXHAUSTED', status: 503 },
    );
    clock.advance(500);
    await refused;
    gate.resolve();
    await first;
    assert.equal(await pool.use(async () => 2), 2);
  });

  it('checks what it lends as often as configured and replaces what does not work', async () => {
    const clock = createTestClock();
    const source = createSource();
    const options = { testOnBorrow: true, validationQuery: 'SELECT 1', validationInterval: 1000 };
    const pool = createPool(source, options, clock);
    await pool.use(async () => undefined);
    await pool.use(async () => undefined);
    clock.advance(1000);
    await pool.use(async () => undefined);
    const [fake] = source.made;
    assert.ok(fake);
    fake.works = false;
    clock.advance(1000);
    assert.equal(await pool.use(async ({ id }) => id), 1);
    assert.deepEqual(
      source.log.filter((line) => !line.startsWith('reset')),
      ['validate 0 SELECT 1', 'validate 0 SELECT 1', 'destroy 0'],
    );
  });

  it('keeps no more than it may for later', async () => {
    const source = createSource();
    const pool = createPool(source, { maxIdle: 1 });
    const gate = Promise.withResolvers<void>();
    const both = [pool.use(() => gate.promise), pool.use(() => gate.promise)];
    gate.resolve();
    await Promise.all(both);
    assert.deepEqual(pool.counters, { active: 0, idle: 1, waiting: 0, maxActive: 8 });
    assert.equal(source.log.filter((line) => line.startsWith('destroy')).length, 1);
  });

  it('checks what a failure came from, whatever is configured', async () => {
    const source = createSource();
    const pool = createPool(source);
    await assert.rejects(
      pool.use(async (fake) => {
        fake.works = false;
        throw new Error('broken');
      }),
      /broken/,
    );
    assert.equal(await pool.use(async ({ id }) => id), 1);
    assert.ok(source.log.includes('destroy 0'));
  });

  it('ends everything when it is disposed', async () => {
    const source = createSource();
    const pool = createPool(source, { maxActive: 1 });
    const gate = Promise.withResolvers<void>();
    const lent = pool.use(() => gate.promise);
    const waiting = assert.rejects(
      pool.use(async () => 1),
      { code: 'MR_POOL_CLOSED' },
    );
    await pool[Symbol.asyncDispose]();
    await waiting;
    gate.resolve();
    await lent;
    assert.deepEqual(source.log.at(-1), 'destroy 0');
    await assert.rejects(
      pool.use(async () => 1),
      { code: 'MR_POOL_CLOSED' },
    );
  });
});
