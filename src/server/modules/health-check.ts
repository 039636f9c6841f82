import { carbonHealthCheck } from '#config';
import { defineModule, getLogger } from '#core';
import type { ServerContext } from '../context.ts';
import { readDataSources } from '../data-sources.ts';
import { createHealthApi, healthApiPath } from '../health-check/health-api.ts';
import { openCheckers } from '../health-check/open-checkers.ts';
import { watchedSources } from '../health-check/watched-sources.ts';
import { everyRole } from '../roles.ts';

const log = getLogger('server');

/** The health check API on the server's ports. It checks nothing where it is off: whoever only waits for a start asks it too. */
export const healthCheck = defineModule<ServerContext>({
  name: 'health-check',
  roles: everyRole,
  needs: ['identity'],
  async start(context) {
    const { config, clock, health, services, openDatabases, serverApis } = context;
    const { current: authority } = context.authority;
    const isEnabled = config.get(carbonHealthCheck.enable);
    if (!isEnabled || !authority) {
      const isAway = isEnabled && !authority;
      if (isAway)
        log.warn({ key: 'carbon_health_check.enable' }, 'this role has no server port for the health check API');
      serverApis.set(healthApiPath, createHealthApi([], clock).fetch);
      return undefined;
    }
    const { superTenant } = await import('#identity');
    const configured = readDataSources(config);
    const { dataSources } = services.background;
    const opened = await openCheckers(config, {
      health,
      stores: authority.stores,
      superTenant,
      sources: () => watchedSources({ configured, dataSources, openDatabases }),
      extensions: services.extensions ?? { directory: context.home.extensions, classMap: {} },
      clock,
    });
    serverApis.set(healthApiPath, createHealthApi(opened.checkers, clock).fetch);
    return {
      async [Symbol.asyncDispose]() {
        serverApis.delete(healthApiPath);
        await opened[Symbol.asyncDispose]();
      },
    };
  },
});
