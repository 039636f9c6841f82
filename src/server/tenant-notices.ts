import { multiTenancyStratos as keys, type Config } from '#config';
import { getLogger, type Clock } from '#core';
import type { EventBus } from '#events';
import type { TenantCreated } from '#identity';

const log = getLogger('identity');

/** The stream on which mail to people leaves (identity 6.10). */
const mailStream = 'id_gov_notify_stream:1.0.0';

interface Mail {
  readonly to: string | undefined;
  readonly event: string;
  readonly subject: string;
  readonly body: string;
}

/**
 * What people are told of a new tenant, as `[multi_tenancy.stratos]` says: whoever watches the platform, whoever has to
 * activate it or its owner, and whoever charges for it. Activation that is moderated leaves the tenant inactive.
 */
export function createTenantNotices(
  config: Config,
  parts: { readonly events: EventBus | undefined; readonly clock: Clock },
): TenantCreated {
  return async (tenant, owner, tenants) => {
    const { domain } = tenant;
    const isSilent = config.get(keys.disableTenantManagementEmails);
    const isModerated = !isSilent && config.get(keys.tenantActivationModerated);
    if (isModerated) await tenants.setActive(domain, false);
    const facts = `Tenant: ${domain}\nOwner: ${owner.adminName} <${owner.email}>`;
    const mails: Mail[] = [];
    if (!isSilent) {
      const event = 'tenantCreated';
      mails.push({
        to: config.get(keys.notificationEmail),
        event,
        subject: `A tenant was made: ${domain}`,
        body: facts,
      });
      mails.push(
        isModerated
          ? {
              to: config.get(keys.superAdminEmail),
              event: 'tenantActivation',
              subject: `A tenant waits to be activated: ${domain}`,
              body: `${facts}\n\nActivate it with: millrace tenant activate ${domain}`,
            }
          : { to: owner.email, event, subject: `Your tenant ${domain} is there`, body: facts },
      );
    }
    if (config.get(keys.chargeOnRegistration)) {
      log.info({ tenant: domain, charge: 'registration' }, 'a charge for the registration of a tenant is due');
      mails.push({
        to: config.get(keys.financeNotificationEmail),
        event: 'tenantCharged',
        subject: `A charge is due: ${domain}`,
        body: `${facts}\n\nThe registration is to be charged.`,
      });
    }
    for (const mail of mails) await send(mail, domain, parts);
  };
}

async function send(
  { to, event, subject, body }: Mail,
  domain: string,
  { events, clock }: { readonly events: EventBus | undefined; readonly clock: Clock },
): Promise<void> {
  if (to === undefined || to === '') return;
  const attributes = new Map([
    ['notification-event', event],
    ['send-to', to],
    ['subject', subject],
    ['body', body],
    ['footer', ''],
    ['content-type', 'text/plain'],
    ['locale', 'en_US'],
    ['tenant-domain', domain],
  ]);
  const takers = await events?.handOver({ topic: mailStream, at: clock.now(), attributes });
  if (!takers) log.warn({ event, tenant: domain }, 'nobody sends mail: a notice about a tenant was dropped');
}
