import { createDispatcher } from '#api';
import { defineModule } from '#core';
import type { HttpListener } from '#transport';
import type { ServerContext } from '../context.ts';
import { listen, listenerModule } from '../listen.ts';
import { trafficRoles } from '../roles.ts';

/** The integration runtime: API ports in front of the deployed artifacts. */
export const runtime = defineModule<ServerContext>({
  name: 'runtime',
  roles: trafficRoles,
  needs: [],
  async start(context) {
    const { settings, deployer, metrics } = context;
    const listeners: HttpListener[] = [];
    const dispatcher = createDispatcher({
      world: () => deployer.current,
      settings: settings.mediation,
      cors: settings.cors,
      metrics,
      servers: () => listeners.map(({ scheme, port }) => ({ scheme, host: settings.hostname, port })),
    });
    const plain = {
      ...settings.apiHttp,
      name: 'API HTTP',
      scheme: 'http',
      key: 'transport.passthru_http.listener',
    } as const;
    const secure = {
      ...settings.apiHttps,
      name: 'API HTTPS',
      scheme: 'https',
      key: 'transport.passthru_https.listener',
    } as const;
    const opened = await Promise.allSettled(
      [plain, secure].filter(({ enabled }) => enabled).map((listener) => listen(context, listener, dispatcher)),
    );
    for (const result of opened) if (result.status === 'fulfilled') listeners.push(result.value);
    const failure = opened.find((result) => result.status === 'rejected');
    if (failure) {
      await listenerModule(listeners)[Symbol.asyncDispose]();
      throw failure.reason;
    }
    return listenerModule(listeners);
  },
});
