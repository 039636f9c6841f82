import { createAudit, defineModule } from '#core';
import type { ServerContext } from '../context.ts';
import { adapterTools, openNotifyDatabase, openSealing } from '../notifications.ts';
import { identityRoles } from '../roles.ts';

/** Streams, publishers and senders of notifications, and the queue behind them. */
export const notify = defineModule<ServerContext>({
  name: 'notify',
  roles: identityRoles,
  needs: ['runtime', 'identity'],
  async start(context) {
    const { config, home, clock, metrics, services, serverApis, authority } = context;
    const area = await import('#notify');
    await using started = new AsyncDisposableStack();
    const database = started.use(await openNotifyDatabase(config, home, clock));
    const notifications = area.createNotifications({
      folders: home,
      database,
      sealing: await openSealing(config, home),
      clock,
      metrics,
      leases: await services.background.leases(),
      holder: services.background.holder,
      tools: adapterTools({ ...context, openSender: services.openSender ?? (() => context.sender) }),
      findTenant: async (domain) => authority.current?.findTenant(domain),
    });
    started.use(notifications);
    if (services.events) notifications.start(services.events);
    if (authority.current) {
      const { findCaller, tenantOf, publicUrl } = authority.current;
      const api = area.createSenderApi({
        senders: notifications.senders,
        findCaller,
        tenantOf,
        publicUrl,
        audit: createAudit({ clock }),
      });
      serverApis.set(area.senderApiPath, api);
      started.defer(() => void serverApis.delete(area.senderApiPath));
    }
    const running = started.move();
    return {
      drain: () => notifications.stop(),
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  },
});
