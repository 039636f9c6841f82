import { multiTenancyStratos as keys, type Config } from '#config';
import { getLogger, type Clock } from '#core';
import type { EventBus } from '#events';
import type { Tenant, TenantCreated, Tenants, TenantValidation } from '#identity';

const log = getLogger('identity');

/** The stream on which mail to people leaves (identity 6.10). */
const mailStream = 'id_gov_notify_stream:1.0.0';

interface Mail {
  readonly to: string | undefined;
  readonly event: string;
  readonly subject: string;
  readonly body: string;
}

export interface TenantNoticesParts {
  readonly events: EventBus | undefined;
  readonly clock: Clock;
  readonly validation: TenantValidation;
  /** Address of the server as people know it. */
  readonly publicUrl: string;
  /** Path of the page that takes the code. */
  readonly validationPath: string;
}

/** What happens around the making of a tenant. */
export interface TenantNotices {
  readonly created: TenantCreated;
  /** Goes on once the owner has used the address of the mail; true when the tenant works from now on. */
  readonly validated: (tenant: Tenant, tenants: Tenants) => Promise<boolean>;
}

/**
 * What people are told of a new tenant, as `[multi_tenancy.stratos]` says: whoever watches the platform, whoever has to
 * activate it or its owner, and whoever charges for it. A tenant whose owner has to show that mail arrives, or whose
 * activation is moderated, is inactive until then; where both is asked for, the moderator hears of it afterwards.
 */
export function createTenantNotices(config: Config, parts: TenantNoticesParts): TenantNotices {
  const isSilent = config.get(keys.disableTenantManagementEmails);
  const isValidated = !isSilent && config.get(keys.emailValidationMandatoryForLogin);
  const isModerated = !isSilent && config.get(keys.tenantActivationModerated);

  const toModerator = (domain: string, facts: string): Mail => ({
    to: config.get(keys.superAdminEmail),
    event: 'tenantActivation',
    subject: `A tenant waits to be activated: ${domain}`,
    body: `${facts}\n\nActivate it with: millrace tenant activate ${domain}`,
  });

  const toOwner = async (tenant: Tenant, email: string, facts: string): Promise<Mail> => {
    const { domain } = tenant;
    if (!isValidated) {
      return { to: email, event: 'tenantCreated', subject: `Your tenant ${domain} is there`, body: facts };
    }
    const query = new URLSearchParams({ domain, code: await parts.validation.begin(tenant) });
    return {
      to: email,
      event: 'tenantValidation',
      subject: `Confirm your address for the tenant ${domain}`,
      body:
        `Your tenant ${domain} works once you have confirmed this address:\n\n` +
        `${parts.publicUrl}${parts.validationPath}?${query.toString()}\n\nIt is good for a day.`,
    };
  };

  return {
    async created(tenant, owner, tenants) {
      const { domain } = tenant;
      if (isModerated || isValidated) await tenants.setActive(domain, false);
      const facts = `Tenant: ${domain}\nOwner: ${owner.adminName} <${owner.email}>`;
      const mails: Mail[] = [];
      if (!isSilent) {
        mails.push({
          to: config.get(keys.notificationEmail),
          event: 'tenantCreated',
          subject: `A tenant was made: ${domain}`,
          body: facts,
        });
        const isForModerator = isModerated && !isValidated;
        mails.push(isForModerator ? toModerator(domain, facts) : await toOwner(tenant, owner.email, facts));
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
    },
    async validated({ domain }, tenants) {
      if (isModerated) {
        await send(toModerator(domain, `Tenant: ${domain}\nThe owner has confirmed the address.`), domain, parts);
        return false;
      }
      await tenants.setActive(domain, true);
      return true;
    },
  };
}

async function send(
  { to, event, subject, body }: Mail,
  domain: string,
  { events, clock }: Pick<TenantNoticesParts, 'events' | 'clock'>,
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
