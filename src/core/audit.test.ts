import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AuditRecord, createAudit } from './audit.ts';
import { createTestClock } from './test-clock.ts';

const event = {
  actor: 'ann',
  tenant: 'carbon.super',
  action: 'deleted',
  target: 'api:Orders',
  outcome: 'success',
} as const;

it('an audit event reaches the sink with its time', () => {
  const clock = createTestClock();
  const records: AuditRecord[] = [];
  createAudit({ clock, sink: (record) => void records.push(record) }).record(event);
  assert.deepEqual(records, [{ at: clock.now(), ...event }]);
});

it('a sink that fails does not disturb what was audited', () => {
  const audit = createAudit({ sink: () => Promise.reject(new Error('disk full')) });
  assert.doesNotThrow(() => audit.record(event));
});
