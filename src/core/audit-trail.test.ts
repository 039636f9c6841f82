import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAuditTrail } from './audit-trail.ts';
import { createAudit } from './audit.ts';
import { configureLog } from './log.ts';

it('an audit trail has the latest records, newest first, and finds them by words', () => {
  configureLog({ level: 'silent', format: 'json' });
  const trail = createAuditTrail(undefined, [], 3);
  const audit = createAudit({ sink: trail.sink });
  const record = (actor: string, action: string): void =>
    audit.record({ actor, tenant: '', action, target: '/apis/Orders', outcome: 'success' });
  for (const action of ['created', 'updated', 'traced', 'deleted']) record('ada', action);
  const actions = (words: string, limit = 10): string[] => trail.list({ words, limit }).map(({ action }) => action);
  assert.deepEqual(actions(''), ['deleted', 'traced', 'updated']);
  assert.deepEqual(actions('ADA trac'), ['traced']);
  assert.deepEqual(actions('ada nothing'), []);
  assert.deepEqual(actions('', 1), ['deleted']);
});
