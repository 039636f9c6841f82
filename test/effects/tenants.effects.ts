import { createEventBus } from '#events';
import { systemClock } from '#core';
import type { Config } from '#config';
import { createTenantNotices } from '../../src/server/tenant-notices.ts';
import type { EffectRow } from './effect-row.ts';

const section = '[multi_tenancy.stratos]\n';
const mails = `${section}disable_tenant_management_emails = false\n`;

/** Who is told what of a new tenant, and whether it stays inactive. */
async function told(config: Config): Promise<unknown> {
  const events = createEventBus();
  const sent: unknown[] = [];
  events.subscribe('id_gov_notify_stream:1.0.0', ({ attributes }) => {
    sent.push([attributes.get('send-to'), attributes.get('subject')]);
  });
  const changes: unknown[] = [];
  const refuse = (): never => {
    throw new Error('nothing else is asked of the tenants');
  };
  const validation = { begin: async () => 'code', redeem: refuse };
  const notices = createTenantNotices(config, {
    events,
    clock: systemClock,
    validation,
    publicUrl: 'https://localhost:9443',
    validationPath: '/confirm',
  });
  await notices.created(
    { id: 1, domain: 'acme.com', isActive: true },
    { adminName: 'ada', email: 'ada@acme.com' },
    {
      find: refuse,
      list: refuse,
      create: refuse,
      delete: refuse,
      forget: refuse,
      setActive: async (domain, isActive) => void changes.push([domain, isActive]),
    },
  );
  return { sent, changes };
}

const row = (name: string, values: readonly [string | boolean, string | boolean], given: string): EffectRow => ({
  key: `multi_tenancy.stratos.${name}`,
  first: values[0],
  second: values[1],
  given,
  observe: told,
});

export const rows: readonly EffectRow[] = [
  row('disable_tenant_management_emails', [true, false], section),
  row('notification_email', ['a@b.c', 'd@e.f'], mails),
  row('tenant_activation_moderated', [true, false], mails),
  row('email_validation_mandatory_for_login', [true, false], mails),
  row('super_admin_email', ['a@b.c', 'd@e.f'], `${mails}tenant_activation_moderated = true\n`),
  row('charge_on_registration', [true, false], `${section}finance_notification_email = "f@b.c"\n`),
  row('finance_notification_email', ['a@b.c', 'd@e.f'], `${section}charge_on_registration = true\n`),
];
