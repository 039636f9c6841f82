import { createAudit, defineModule } from '#core';
import type { ServerContext } from '../context.ts';
import { adapterTools, openNotifyDatabase, openSealing } from '../notifications.ts';
import { identityRoles } from '../roles.ts';

/**
 * Streams, publishers and senders of notifications, and the queue behind them. It starts before anything takes messages
 * and ends after all of it, so that no event finds its stream without a taker.
 */
export const notify = defineModule<ServerContext>({
  name: 'notify',
  roles: identityRoles,
  needs: [],
  async start(context) {
    const { config, home, clock, metrics, services, serverApis, authority } = context;
    const area = await import('#notify');
    await using started = new AsyncDisposableStack();
    const database = started.use(await openNotifyDatabase(config, home, clock));
    if (database.counters) started.use(context.openDatabases.add('apim_db', database));
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
    const api = area.createSenderApi({
      senders: notifications.senders,
      findCaller: async (authorization, tenant) => authority.current?.findCaller(authorization, tenant),
      tenantOf: (request) => authority.current?.tenantOf(request) ?? area.notifySuperTenant,
      publicUrl: () => authority.current?.publicUrl ?? '',
      audit: createAudit({ clock, sink: context.auditTrail.sink }),
    });
    serverApis.set(area.senderApiPath, api);
    started.defer(() => void serverApis.delete(area.senderApiPath));
    return started.move();
  },
});
