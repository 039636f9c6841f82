import process from 'node:process';
import { loadHomeConfig, usableConfig } from '#config';
import { createHome, createMemoryLeases, createMetrics, systemClock } from '#core';
import { MillraceError } from '#errors';
import type { Channel, NotifyTenant, Outcome } from '#notify';
import { createSenderOpener } from './mediation-services.ts';
import { adapterTools, openNotifyDatabase, openSealing } from './notifications.ts';
import { openSender } from './sender.ts';
import { openServerDatabase } from './server-database.ts';
import { openTls } from './tls.ts';

export interface NoticeRequest {
  readonly home: string;
  readonly channel: Channel;
  readonly to: string;
  readonly text: string;
  readonly subject: string;
  /** Domain; the super tenant when absent. */
  readonly tenant: string | undefined;
  /** Name of the publisher; that of the channel when absent. */
  readonly publisher: string | undefined;
}

/**
 * Sends one message with the configuration of a home, past the queue of a running server, and tells each step.
 *
 * @throws MillraceError `MR_TENANT_UNKNOWN`, or one of the configuration
 */
export async function sendTestNotice(request: NoticeRequest, report: (step: string) => void): Promise<Outcome> {
  const home = createHome(request.home);
  const systemProperties = { 'carbon.home': home.directory };
  const loaded = await loadHomeConfig({ home: home.directory, env: process.env, systemProperties });
  const config = usableConfig(loaded);
  const clock = systemClock;
  const area = await import('#notify');
  await using opened = new AsyncDisposableStack();
  const tls = opened.use(openTls(home, config));
  const { sender } = openSender(config, tls);
  opened.use(sender);
  const opener = opened.use(createSenderOpener(config, tls));
  const database = opened.use(await openNotifyDatabase(config, home, clock));
  const tools = adapterTools({ config, clock, sender, openSender: (settings) => opener.open(settings), tls });
  const tenant = await tenantOf(request.tenant);
  report(`tenant ${tenant.domain}`);
  const notifications = area.createNotifications({
    folders: home,
    database,
    sealing: await openSealing(config, home),
    clock,
    metrics: createMetrics(),
    leases: createMemoryLeases(clock),
    holder: 'command line',
    tools,
    findTenant: async () => tenant,
  });
  const { channel, to, text, subject } = request;
  const publisher = request.publisher ?? (channel === 'sms' ? 'SMSPublisher' : 'EmailPublisher');
  return await area.testNotification(
    notifications,
    { channel, tenant, to, text, subject, publisher },
    { ...tools, report },
  );

  async function tenantOf(domain: string | undefined): Promise<NotifyTenant> {
    if (domain === undefined || domain === area.notifySuperTenant.domain) return area.notifySuperTenant;
    const identity = await import('#identity');
    await using users = await openServerDatabase(config, home, [identity.usersSchema]);
    const row = await users.get('SELECT id FROM mr_tenant WHERE domain = ?', [domain.toLowerCase()]);
    if (row) return { id: Number(row['id']), domain: domain.toLowerCase(), isActive: true };
    throw new MillraceError({ code: 'MR_TENANT_UNKNOWN', status: 404, message: `There is no tenant ${domain}` });
  }
}
