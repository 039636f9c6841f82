import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHealth } from './health.ts';
import { createTestClock } from './test-clock.ts';

describe('health', () => {
  it('is alive but not ready while it starts and while it stops', async () => {
    const health = createHealth();
    for (const phase of ['starting', 'stopping'] as const) {
      health.setPhase(phase);
      assert.deepEqual(await health.readiness(), { healthy: false, phase, checks: [] });
      assert.equal((await health.liveness()).healthy, true);
    }
    health.setPhase('ready');
    assert.equal((await health.readiness()).healthy, true);
  });

  it('runs checks in their order and reports detail and errors', async () => {
    const health = createHealth({ clock: createTestClock() });
    health.setPhase('ready');
    health.register({
      name: 'users',
      kind: 'readiness',
      order: 98,
      check() {
        throw new Error('no answer');
      },
    });
    health.register({ name: 'last', kind: 'readiness', check: () => ({ healthy: true }) });
    health.register({
      name: 'pool',
      kind: 'readiness',
      order: 97,
      check: async () => ({ healthy: true, detail: { active: 3 } }),
    });
    health.register({ name: 'heap', kind: 'liveness', check: () => ({ healthy: false }) });
    const report = await health.readiness();
    assert.equal(report.healthy, false);
    assert.deepEqual(report.checks, [
      { name: 'pool', healthy: true, milliseconds: 0, detail: { active: 3 } },
      { name: 'users', healthy: false, milliseconds: 0, error: 'no answer' },
      { name: 'last', healthy: true, milliseconds: 0 },
    ]);
    assert.equal((await health.liveness()).healthy, false);
  });

  it('counts a check that does not answer as failed', async () => {
    const clock = createTestClock();
    const health = createHealth({ timeout: 2000, clock });
    health.register({
      name: 'hung',
      kind: 'liveness',
      check: () => new Promise(() => setImmediate(() => clock.advance(2000))),
    });
    const report = await health.liveness();
    assert.deepEqual(report.checks, [
      { name: 'hung', healthy: false, milliseconds: 2000, error: 'no answer within 2000 ms' },
    ]);
  });

  it('forgets a check that was disposed and refuses a second one of its name', async () => {
    const health = createHealth();
    const failing = { name: 'a', kind: 'liveness', check: () => ({ healthy: false }) } as const;
    const registration = health.register(failing);
    assert.throws(() => health.register(failing), { code: 'MR_HEALTH_DUPLICATE' });
    registration[Symbol.dispose]();
    assert.equal((await health.liveness()).healthy, true);
  });
});
