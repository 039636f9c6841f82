import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#core';
import { startTestGround } from '../test-ground.ts';
import { superTenant } from '../tenants/tenant.ts';
import type { User } from '../users/users.ts';
import { createBackoff } from './backoff.ts';
import { createCredentialGuard } from './credential-guard.ts';

const ada: User = { id: '1', name: 'ada', storeDomain: 'PRIMARY', tenant: superTenant };

function open() {
  const clock = createTestClock();
  const guard = createCredentialGuard(createBackoff({ clock, free: { user: 3, address: 20 } }), clock);
  let checks = 0;
  const tryWith = (password: string): Promise<User | undefined> =>
    guard({ tenantId: 1, username: 'ada', password, address: '192.0.2.1' }, async () => {
      checks++;
      return password === 'right' ? ada : undefined;
    });
  return { clock, tryWith, checks: () => checks };
}

test('guesses have to wait, at the same time or one after the other', async () => {
  const { clock, tryWith, checks } = open();
  const guesses = Array.from({ length: 20 }, (_, index) => tryWith(`guess ${index}`));
  const outcomes = await Promise.allSettled(guesses);
  assert.equal(checks(), 3);
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 17);
  await assert.rejects(tryWith('right'), { code: 'MR_SIGN_IN_WAIT', status: 429 });
  clock.advance(1000);
  assert.equal(await tryWith('right'), ada);
});

test('who was right lately does not wait for the guesses of others, and is checked all the same', async () => {
  const { clock, tryWith, checks } = open();
  const found = await Promise.all(Array.from({ length: 20 }, () => tryWith('right')));
  assert.ok(found.every((user) => user === ada));
  assert.equal(checks(), 1, 'the same credentials at the same time are one attempt');
  for (let index = 0; index < 5; index++) await tryWith(`guess ${index}`).catch(() => undefined);
  assert.equal(await tryWith('right'), ada);
  clock.advance(6 * 60_000);
  for (let index = 0; index < 9; index++) await tryWith(`guess ${index}`).catch(() => undefined);
  await assert.rejects(tryWith('right'), { status: 429 });
});

test('the administrative APIs answer 429 to guesses of a password', async () => {
  await using ground = await startTestGround();
  const statuses: number[] = [];
  for (let index = 0; index < 5; index++) {
    statuses.push((await ground.call('GET /scim2/Users', undefined, `admin:wrong-${index}`)).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  ground.clock.advance(1000);
  assert.equal((await ground.call('GET /scim2/Users')).status, 200);
});
