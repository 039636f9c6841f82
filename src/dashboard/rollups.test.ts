import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '#core';
import { readCounterAnswer, type CounterAnswer } from './counter-deltas.ts';
import { createRegistry, type Registry } from './registry.ts';
import { minute, tiers } from './rollup-tiers.ts';
import { createRollups } from './rollups.ts';
import { factsOfTally } from './tally.ts';

const bounds = [1, 10, 100];
const start = Date.UTC(2026, 0, 1);
const keptMinutes = tiers.fine.reach / minute;

type Row = readonly [id: string, count: number, errors: number, time: number, histogram: readonly number[]];

function answer(cursor: number, rows: readonly Row[]): CounterAnswer {
  const list = rows.map(([id, count, errors, timeSum, histogram]) => ({ id, count, errors, timeSum, histogram }));
  return readCounterAnswer({ cursor, bounds, list });
}

function registryWith(clock: ReturnType<typeof createTestClock>, ...names: readonly string[]): Registry {
  const registry = createRegistry(clock);
  for (const node of names) {
    const beat = {
      product: 'mi',
      group: 'g',
      node,
      interval: 100_000,
      managementUrl: `https://${node}.example/`,
      hasChanges: false,
    };
    registry.beat(beat);
    registry.update({ group: 'g', id: node }, { trust: 'approved' });
  }
  return registry;
}

const all = { from: start - keptMinutes * minute * 2, to: start + keptMinutes * minute * 3 };

describe('rollups', () => {
  it('are what the counters of the nodes grew by, minute by minute', async () => {
    const clock = createTestClock();
    using registry = registryWith(clock, 'one', 'two');
    const asked: number[] = [];
    let answers: Readonly<Record<string, CounterAnswer>> = {
      // What was counted before the dashboard looked belongs to no minute.
      one: answer(5, [['api:A/resource:0/in/0', 100, 0, 100, [100, 0, 0, 0]]]),
      two: answer(1, []),
    };
    using rollups = createRollups({
      registry,
      clock,
      poolSize: 2,
      read: async ({ id }, since) => {
        asked.push(since);
        return answers[id];
      },
    });
    await rollups.collect();
    clock.advance(minute);
    answers = {
      one: answer(9, [
        ['api:A/resource:0/in/0', 110, 1, 105, [110, 0, 0, 0]],
        ['api:A/resource:0/in/1', 9, 0, 450, [0, 0, 9, 0]],
        ['api:A/resource:0/in/1/then/0', 9, 9, 400, [0, 0, 9, 0]],
        ['sequence:S/0', 7, 7, 7, [7, 0, 0, 0]],
      ]),
      two: answer(4, [
        ['api:A/resource:0/in/0', 2, 0, 1, [2, 0, 0, 0]],
        ['proxy:P/in/0', 4, 0, 20, [0, 4, 0, 0]],
      ]),
    };
    await rollups.collect();
    assert.deepEqual(asked.slice(-2), [5, 1]);
    const { total, points, artifacts } = rollups.query({ ...all, step: minute });
    assert.deepEqual([total.messages, total.errors], [16, 1]);
    assert.equal(total.meanTime, 29.75);
    const told = points.filter(({ nodes }) => nodes > 0);
    assert.deepEqual(
      told.map(({ nodes, messages }) => [nodes, messages]),
      [[2, 16]],
    );
    assert.equal(points.find(({ nodes }) => nodes === 0)?.messages, null);
    assert.deepEqual(
      artifacts.map(({ artifact, messages, p95 }) => [artifact, messages, p95]),
      [
        ['api:A', 12, 94.5],
        ['proxy:P', 4, 9.55],
      ],
    );
    const one = rollups.query({ ...all, step: minute, nodes: ['one'], artifact: 'api:A' });
    assert.deepEqual([one.total.messages, one.artifacts.length], [10, 1]);
    assert.equal(rollups.query({ ...all, step: minute, group: 'other' }).total.messages, 0);
    const inner = rollups.query({ ...all, step: minute, mediator: 'api:A/resource:0/in/1/then/0' });
    assert.deepEqual([inner.total.messages, inner.total.errors, inner.total.p95], [9, 9, null]);
  });

  it('keep artifacts of the same name apart by group, and tell some of the nodes', async () => {
    const clock = createTestClock();
    using registry = registryWith(clock, 'one', 'two', 'three');
    const beat = { product: 'mi', interval: 100_000, managementUrl: 'https://other.example/', hasChanges: false };
    registry.beat({ ...beat, group: 'h', node: 'far' });
    registry.update({ group: 'h', id: 'far' }, { trust: 'approved' });
    let count = 0;
    const read = async (): Promise<CounterAnswer> => answer(count + 1, [['api:A/in/0', count, 0, count, [count]]]);
    using rollups = createRollups({ registry, clock, poolSize: 4, read });
    await rollups.collect();
    count = 2;
    await rollups.collect();
    const told = (query: Parameters<typeof rollups.query>[0]): unknown[] =>
      rollups.query(query).artifacts.map(({ group, artifact, messages }) => [group, artifact, messages]);
    assert.deepEqual(told({ ...all, step: minute }), [
      ['g', 'api:A', 6],
      ['h', 'api:A', 2],
    ]);
    assert.deepEqual(told({ ...all, step: minute, nodes: ['one', 'three', 'far'] }), [
      ['g', 'api:A', 4],
      ['h', 'api:A', 2],
    ]);
    assert.deepEqual(told({ ...all, step: minute, group: 'g', nodes: ['far'] }), []);
  });

  it('take a runtime that began anew from its beginning, and skip those without counters', async () => {
    const clock = createTestClock();
    using registry = registryWith(clock, 'one', 'original');
    let own = answer(9, [['proxy:P/in/0', 50, 0, 1, [50, 0, 0, 0]]]);
    using rollups = createRollups({
      registry,
      clock,
      poolSize: 2,
      read: async ({ id }) => (id === 'one' ? own : undefined),
    });
    await rollups.collect();
    clock.advance(minute);
    own = answer(3, [['proxy:P/in/0', 3, 0, 1, [3, 0, 0, 0]]]);
    await rollups.collect();
    assert.equal(rollups.query({ ...all, step: minute }).total.messages, 3);
  });

  it('grow within a minute, and tell mediators apart for an hour', async () => {
    const clock = createTestClock();
    using registry = registryWith(clock, 'one');
    let count = 0;
    const read = async (): Promise<CounterAnswer> =>
      answer(count + 1, [['proxy:P/in/0', count, 0, count, [count, 0, 0, 0]]]);
    using rollups = createRollups({ registry, clock, poolSize: 1, read });
    await rollups.collect();
    for (const grown of [3, 5]) {
      count = grown;
      clock.advance(1000);
      await rollups.collect();
    }
    const { points } = rollups.query({ ...all, step: minute });
    assert.deepEqual(
      points.filter(({ nodes }) => nodes > 0).map(({ messages }) => messages),
      [5],
    );
    const own = { ...all, step: minute, mediator: 'proxy:P/in/0' };
    assert.equal(rollups.query(own).total.messages, 5);
    clock.advance(61 * minute);
    count = 6;
    await rollups.collect();
    assert.equal(rollups.query(own).total.messages, 1);
    assert.equal(rollups.query({ ...all, step: minute }).total.messages, 6);
  });

  it('begin with a node as soon as it was read', async () => {
    const clock = createTestClock();
    using registry = registryWith(clock, 'one');
    const { promise, resolve } = Promise.withResolvers<string>();
    using _ = createRollups({
      registry,
      clock,
      poolSize: 1,
      read: async ({ id }) => {
        resolve(id);
        return answer(1, []);
      },
    });
    registry.update({ group: 'g', id: 'one' }, { artifacts: [] }, 'artifacts were read');
    assert.equal(await promise, 'one');
  });

  it('are collected by themselves with every minute, within bounds, and stay when their node goes', async () => {
    const clock = createTestClock();
    using registry = registryWith(clock, 'one');
    let count = 0;
    const waiting: (() => void)[] = [];
    using rollups = createRollups({
      registry,
      clock,
      poolSize: 1,
      async read() {
        waiting.shift()?.();
        count++;
        return answer(count, [['proxy:P/in/0', count, 0, count, [count, 0, 0, 0]]]);
      },
    });
    for (let turn = 0; turn < keptMinutes + 30; turn++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const node = registry.find('g', 'one');
      if (turn % 600 === 0 && node) registry.beat({ ...node, node: node.id, hasChanges: false });
      clock.advance(minute);
      await promise;
      // The answer is noted on the next turn.
      await new Promise((done) => setImmediate(done));
    }
    const now = clock.now();
    const { points, total } = rollups.query({ from: now - 2 * keptMinutes * minute, to: now, step: 60 * minute });
    // The first look counts nothing; what is older than the minutes is there in longer pieces.
    assert.equal(total.messages, keptMinutes + 29);
    assert.equal(points.filter(({ nodes }) => nodes > 0).length, keptMinutes / 60 + 1);
    registry.forget('g', 'one');
    await rollups.collect();
    assert.equal(rollups.query({ from: now - minute, to: now, step: minute }).total.messages, 1);
  });
});

it('percentiles are even within a bucket, and begin with the last one where there is no bound', () => {
  const facts = (histogram: readonly number[]): unknown[] => {
    const { p50, p95, p99 } = factsOfTally({ messages: 1, errors: 0, time: 1, histogram }, bounds);
    return [p50, p95, p99];
  };
  assert.deepEqual(facts([100, 0, 0, 0]), [0.5, 0.95, 0.99]);
  assert.deepEqual(facts([50, 50, 0, 0]), [1, 9.1, 9.82]);
  assert.deepEqual(facts([0, 0, 0, 5]), [100, 100, 100]);
  assert.deepEqual(facts([]), [null, null, null]);
});
