import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '#config';
import { systemClock } from '#core';
import { createEventBus } from '#events';
import { createTenantNotices } from '../../src/server/tenant-notices.ts';

const acme = { id: 1, domain: 'acme.com', isActive: true };
const owner = { adminName: 'ada', email: 'ada@acme.com' };

/** What people are told, and what becomes of the tenant, with further lines of the section. */
function start(lines: string) {
  const events = createEventBus();
  const mails: Record<string, unknown>[] = [];
  events.subscribe('id_gov_notify_stream:1.0.0', ({ attributes }) => {
    mails.push(Object.fromEntries(attributes));
  });
  const refuse = (): never => {
    throw new Error('nothing else is asked of the tenants');
  };
  const states: boolean[] = [];
  const setActive = async (_: string, isActive: boolean): Promise<void> => void states.push(isActive);
  const tenants = { find: refuse, list: refuse, create: refuse, delete: refuse, forget: refuse, setActive };
  const text = `[multi_tenancy.stratos]\nsuper_admin_email = "root@platform.example"\n${lines}`;
  const notices = createTenantNotices(loadConfig({ text }).config, {
    events,
    clock: systemClock,
    validation: { begin: async () => 'the code', redeem: refuse },
    publicUrl: 'https://id.example:9443',
    validationPath: '/confirm.do',
  });
  return {
    mails,
    states,
    created: () => notices.created(acme, owner, tenants),
    validated: () => notices.validated(acme, tenants),
  };
}

const on = 'disable_tenant_management_emails = false\nemail_validation_mandatory_for_login = true\n';

test('the owner gets an address, and the tenant is inactive until it is used', async () => {
  const { mails, states, created, validated } = start(on);
  await created();
  assert.deepEqual(states, [false]);
  assert.equal(mails.length, 1);
  assert.equal(mails[0]?.['send-to'], owner.email);
  assert.match(
    String(mails[0]?.['body']),
    /https:\/\/id\.example:9443\/confirm\.do\?domain=acme\.com&code=the\+code\s/,
  );
  assert.equal(await validated(), true);
  assert.deepEqual(states, [false, true]);
});

test('with moderation the moderator hears of it after the owner has confirmed', async () => {
  const { mails, states, created, validated } = start(`${on}tenant_activation_moderated = true\n`);
  await created();
  assert.deepEqual(
    mails.map((mail) => mail['send-to']),
    [owner.email],
  );
  assert.equal(await validated(), false);
  assert.deepEqual(
    mails.map((mail) => mail['send-to']),
    [owner.email, 'root@platform.example'],
  );
  assert.deepEqual(states, [false]);
});

test('without mails nobody could confirm, so nothing waits', async () => {
  const { mails, states, created } = start('email_validation_mandatory_for_login = true\n');
  await created();
  assert.deepEqual([mails, states], [[], []]);
});
