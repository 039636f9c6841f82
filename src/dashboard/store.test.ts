import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configureLog, createTestClock } from '#core';
import { openSqlite } from '#db';
import { temporaryFolder } from '../../test/helpers/temporary-files.ts';
import { startTestDashboard } from '../../test/helpers/test-dashboard.ts';
import { readCounterAnswer, type CounterAnswer } from './counter-deltas.ts';
import { createRegistry } from './registry.ts';
import { hour, tiers } from './rollup-tiers.ts';
import { createRollups } from './rollups.ts';
import { openDashboardStore, type DashboardStore } from './store.ts';

async function opened(path: string, clock: ReturnType<typeof createTestClock>): Promise<DashboardStore> {
  const store = await openDashboardStore(path, clock);
  assert.ok(store);
  return store;
}

test('thirty days of figures are kept in bounded rows, and are there after a restart', async (t) => {
  const path = join(temporaryFolder(t, {}), 'kept.sqlite');
  const clock = createTestClock();
  let count = 0;
  const read = async (): Promise<CounterAnswer> =>
    readCounterAnswer({
      cursor: count + 1,
      bounds: [1, 10],
      list: [{ id: 'api:A/in/0', count, errors: 0, timeSum: count, histogram: [count, 0, 0] }],
    });
  const days = 31;
  {
    await using store = await opened(path, clock);
    using registry = createRegistry(clock);
    const beat = {
      product: 'mi',
      group: 'g',
      node: 'n',
      interval: 7200,
      managementUrl: 'https://n/',
      hasChanges: false,
    };
    registry.beat(beat);
    registry.update({ group: 'g', id: 'n' }, { trust: 'approved' });
    using rollups = createRollups({ registry, clock, poolSize: 1, read, store });
    await rollups.collect();
    for (let turn = 0; turn < days * 24; turn++) {
      count++;
      registry.beat(beat);
      clock.advance(hour);
      await rollups.collect();
      if (turn % 24 === 0) await store.flush();
    }
  }
  {
    await using database = openSqlite({ path });
    const rows = database.all('SELECT tier, COUNT(*) AS rows_kept FROM mr_rollup GROUP BY tier ORDER BY tier');
    assert.deepEqual(
      rows.map((row) => [row['tier'], Number(row['rows_kept']) <= 30 * 24 + 2]),
      [
        ['bounds', true],
        ['coarse', true],
        ['fine', true],
        ['middle', true],
      ],
    );
    assert.ok(Number(rows[2]?.['rows_kept']) <= 2 * 5, JSON.stringify(rows));
    assert.ok(Number(rows[3]?.['rows_kept']) <= 2 * 26, JSON.stringify(rows));
  }
  await using store = await opened(path, clock);
  using registry = createRegistry(clock);
  using rollups = createRollups({ registry, clock, poolSize: 1, read, store });
  const to = clock.now() + hour;
  const month = rollups.query({ from: to - tiers.coarse.reach, to, step: 12 * hour });
  assert.ok(month.total.messages >= 30 * 24 - 2, String(month.total.messages));
  assert.equal(month.total.p50, 0.5);
  assert.ok(month.points.every(({ nodes }) => nodes === 1));
  assert.equal(rollups.query({ from: to - 3 * hour, to, step: hour }).total.messages, 2);
  assert.deepEqual(
    month.artifacts.map(({ artifact }) => artifact),
    ['api:A'],
  );
});

test('audit records and history survive a restart, the latest ones', async (t) => {
  const path = join(temporaryFolder(t, {}), 'kept.sqlite');
  const clock = createTestClock();
  {
    await using dashboard = await startTestDashboard({ clock, store: await opened(path, clock) });
    dashboard.dashboard.registry.beat({
      product: 'mi',
      group: 'g',
      node: 'n',
      interval: 10,
      managementUrl: 'https://n/',
      hasChanges: false,
    });
    assert.equal((await dashboard.signIn()).status, 200);
  }
  await using dashboard = await startTestDashboard({ clock, store: await opened(path, clock) });
  await dashboard.signIn();
  const list = async (of: string): Promise<string> => (await dashboard.ask('GET', of)).text();
  assert.match(await list('/history'), /"joined"/);
  const audit = JSON.parse(await list('/audit')) as { list: unknown[] };
  assert.equal(audit.list.length, 2);
});

test('records are bounded in the store', async (t) => {
  const path = join(temporaryFolder(t, {}), 'kept.sqlite');
  const clock = createTestClock();
  {
    await using store = await opened(path, clock);
    for (let at = 0; at < 1200; at++) store.event({ type: 'node', group: 'g', node: 'n', what: 'late', at });
  }
  await using store = await opened(path, clock);
  assert.deepEqual([store.kept.events.length, store.kept.events.at(-1)?.at], [500, 1199]);
});

test('a store that is damaged or cannot be opened is a warning, and the dashboard goes on in memory', async (t) => {
  const folder = temporaryFolder(t, {});
  const damaged = join(folder, 'damaged.sqlite');
  writeFileSync(damaged, 'no database '.repeat(1000));
  mkdirSync(join(folder, 'folder.sqlite'));
  const lines: string[] = [];
  configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } });
  try {
    const clock = createTestClock();
    for (const path of [damaged, join(folder, 'folder.sqlite')]) {
      const store = await openDashboardStore(path, clock);
      assert.equal(store, undefined);
      await using dashboard = await startTestDashboard({ clock, store });
      assert.equal((await dashboard.signIn()).status, 200);
    }
  } finally {
    configureLog({ level: 'silent', format: 'json' });
  }
  const warned = lines.filter((line) => line.includes('the store of the dashboard cannot be used'));
  assert.equal(warned.length, 2, lines.join(''));
});

test('a store that fails while the dashboard runs is one warning', async (t) => {
  const path = join(temporaryFolder(t, {}), 'kept.sqlite');
  const clock = createTestClock();
  const store = await opened(path, clock);
  {
    await using other = openSqlite({ path });
    await other.run('DROP TABLE mr_dashboard_record');
  }
  const lines: string[] = [];
  configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } });
  try {
    for (const at of [1, 2]) {
      store.event({ type: 'node', group: 'g', node: 'n', what: 'late', at });
      await store.flush();
    }
    await store[Symbol.asyncDispose]();
  } finally {
    configureLog({ level: 'silent', format: 'json' });
  }
  assert.equal(lines.filter((line) => line.includes('could not write to its store')).length, 1, lines.join(''));
});
