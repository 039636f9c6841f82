import { defineModule } from '#core';
import { createManagementApi } from '#management';
import { createRestApi, createSite, jsonResponse, probeOperations, serveRest } from '#rest';
import type { ServerContext } from '../context.ts';
import { listen, listenerModule } from '../listen.ts';
import { everyRole } from '../roles.ts';

/** Probes and metrics over HTTP, the management API over HTTPS. */
export const management = defineModule<ServerContext>({
  name: 'management',
  roles: everyRole,
  needs: ['runtime'],
  async start(context) {
    const { settings, health, metrics, deployer, signIn, node } = context;
    const probes = createRestApi({
      title: 'Probes and metrics',
      version: '1',
      basePath: '',
      operations: probeOperations(health, () => node.readMetrics(metrics)),
    });
    const api = createManagementApi({
      world: () => deployer.current,
      verify: (username, password) => signIn.verify(username, password),
      ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
    });
    const site = createSite([
      { path: '', fetch: probes.fetch },
      { path: '/management', fetch: api.fetch },
      { path: '/management/openapi.json', fetch: async () => jsonResponse(await api.openapi()) },
    ]);
    const listeners = [];
    if (settings.probes.enabled) {
      const key = 'mediation.internal_http_api_port';
      listeners.push(
        await listen(
          context,
          { ...settings.probes, name: 'Probes and metrics', scheme: 'http', key },
          serveRest(probes.fetch),
        ),
      );
    }
    const key = 'mediation.internal_https_api_port';
    listeners.push(
      await listen(context, { ...settings.management, name: 'Management', scheme: 'https', key }, serveRest(site)),
    );
    return listenerModule(listeners);
  },
});
