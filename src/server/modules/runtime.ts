import { createApiRoute, createPayloadValidator } from '#api';
import { millrace, passthruHttp, passthruHttpTransport, transportPassthruHttps, type Config } from '#config';
import { createWorkerPool, defineModule, getLogger, type WorkerPool } from '#core';
import { createDispatcher, refuseBadHandshakes, type DispatcherOptions, type ServerAddress } from '#entry';
import { createInboundRoute } from '#inbound';
import type { PortWorkers } from '#mediation';
import { createProxyRoute, type ProxyRouteOptions } from '#proxy';
import type { HttpListener, RequestHandler } from '#transport';
import { withConcurrency } from '../concurrency.ts';
import type { ServerContext } from '../context.ts';
import { echoCorrelation } from '../correlation-header.ts';
import { withGetProcessor } from '../get-processor.ts';
import { listen, listenerModule, type ListenerRequest } from '../listen.ts';
import { limitRequests } from '../message-size.ts';
import { trafficRoles } from '../roles.ts';
import { serveServiceList } from '../service-list.ts';
import { readApiListenerOptions } from '../transport-settings.ts';
import { readLimits } from '../web-sockets.ts';

/** The integration runtime: API ports in front of the deployed artifacts. */
export const runtime = defineModule<ServerContext>({
  name: 'runtime',
  roles: trafficRoles,
  needs: [],
  async start(context) {
    const { settings, deployer, metrics, config } = context;
    const underWay = metrics.gauge({
      name: 'millrace_messages_in_flight',
      help: 'Messages, and branches of messages, that are under way',
    });
    metrics.onCollect(() => underWay.with().set(deployer.messages));
    const listeners: HttpListener[] = [];
    const hostNames = {
      http: config.get(passthruHttpTransport.listenerHostname) ?? settings.hostname,
      https: config.get(transportPassthruHttps.listenerHostname) ?? settings.hostname,
    };
    const servers = (): readonly ServerAddress[] =>
      listeners.map(({ scheme, port }) => ({ scheme, host: hostNames[scheme], port }));
    const validate = createPayloadValidator(settings.validation);
    const services = createProxyRoute({
      metrics,
      servers,
      prefixes: wsdlPrefixes(config),
      replyAddresses: config.get(millrace.replyAddresses),
    });
    const apis = createApiRoute({ cors: settings.cors, metrics, servers, validate });
    const dispatching: Omit<DispatcherOptions, 'routes'> = {
      handlers: context.services.handlers,
      world: () => deployer.current,
      settings: settings.mediation,
      metrics,
      narratives: context.narratives,
      correlationLog: context.steering.correlationLog,
      workers: createWorkers(config),
    };
    const handler = withPolicies(
      context,
      refuseBadHandshakes(createDispatcher({ ...dispatching, routes: [services, apis] })),
    );
    const world = (): typeof deployer.current => deployer.current;
    const limits = readLimits(config);
    context.inboundPorts.serve(context, (request) => {
      const { endpoint, workers, clients } = request;
      const routes = [
        createInboundRoute({ endpoint, apis, services, metrics, sockets: clients && { clients, limits, world } }),
      ];
      const own = workers ? { workers: createWorkers(config, workers) } : {};
      return withLimits(
        config,
        refuseBadHandshakes(createDispatcher({ ...dispatching, ...own, inbound: endpoint, routes })),
      );
    });
    const { listenerParametersHttpGetProcessor: secureProcessor } = transportPassthruHttps;
    const pagesOf = (key: typeof secureProcessor): RequestHandler =>
      withGetProcessor(handler, key, { config, place: context.services.extensions });
    const plain: ListenerRequest = {
      ...settings.apiHttp,
      name: 'API HTTP',
      scheme: 'http',
      key: 'transport.passthru_http.listener',
      options: (current) => readApiListenerOptions(current, 'http'),
    };
    const secure: ListenerRequest = {
      ...settings.apiHttps,
      name: 'API HTTPS',
      scheme: 'https',
      key: 'transport.passthru_https.listener',
      tls: 'api',
      options: (current) => readApiListenerOptions(current, 'https'),
    };
    const opened = await Promise.allSettled(
      [
        { listener: plain, handle: pagesOf(passthruHttpTransport.listenerHttpGetProcessor) },
        { listener: secure, handle: limitSecure(config, withModules(context, pagesOf(secureProcessor))) },
      ]
        .filter(({ listener }) => listener.enabled)
        .map(({ listener, handle }) => listen(context, listener, handle)),
    );
    for (const result of opened) if (result.status === 'fulfilled') listeners.push(result.value);
    const failure = opened.find((result) => result.status === 'rejected');
    if (failure) {
      await listenerModule(listeners)[Symbol.asyncDispose]();
      throw failure.reason;
    }
    const own = listenerModule(listeners);
    return {
      async drain(milliseconds) {
        const sockets = context.webSockets.drain(milliseconds);
        await Promise.all([own.drain(milliseconds), context.inboundPorts.drained(), sockets]);
      },
      [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
    };
  },
});

/** The workers of the listeners, or those of one port with bounds of its own. */
function createWorkers(config: Config, { core, max, queue }: Partial<PortWorkers> = {}): WorkerPool {
  const most = max ?? config.get(passthruHttp.workerPoolSizeMax);
  return createWorkerPool({
    core: core ?? Math.min(config.get(passthruHttp.workerPoolSizeCore), max ?? Number.POSITIVE_INFINITY),
    max: Math.max(most, core ?? 0),
    queue: queue ?? config.get(passthruHttp.workerPoolQueueLength),
    expectedWait: config.milliseconds(passthruHttp.expectedMaxQueueingTime),
  });
}

/** Paths that other modules answer on the API HTTPS port, such as `/token`, before any artifact is asked. */
function withModules({ apiPaths }: ServerContext, handler: RequestHandler): RequestHandler {
  return (request, responder) => {
    const query = request.target.indexOf('?');
    const path = query < 0 ? request.target : request.target.slice(0, query);
    (apiPaths.get(path) ?? handler)(request, responder);
  };
}

/** What the listeners want their addresses in descriptions of services to begin with. */
function wsdlPrefixes(config: Config): NonNullable<ProxyRouteOptions['prefixes']> {
  const http = config.get(passthruHttpTransport.listenerWsdlPrefix);
  const https = config.get(transportPassthruHttps.listenerParametersWsdleprPrefix);
  return { ...(http === undefined ? {} : { http }), ...(https === undefined ? {} : { https }) };
}

/** What the configuration puts before the artifacts; the outermost comes last. */
function withPolicies({ config, deployer }: ServerContext, dispatcher: RequestHandler): RequestHandler {
  const listed = serveServiceList(dispatcher, {
    isBlocked: config.get(passthruHttp.httpBlockServiceList),
    world: () => deployer.current,
  });
  return withLimits(config, listed);
}

/** As many requests of the HTTPS port at once as the file says, where it says so. */
function limitSecure(config: Config, handler: RequestHandler): RequestHandler {
  const { listenerRequestCoreThreadPoolSize: core, listenerRequestMaxThreadPoolSize: max } = transportPassthruHttps;
  const least = config.get(core) ?? config.get(max);
  if (least === undefined || least === 0) return handler;
  const most = Math.max(least, config.get(max) ?? least);
  const log = getLogger('server');
  return withConcurrency(handler, createWorkerPool({ core: least, max: most, queue: most, expectedWait: 1000, log }));
}

function withLimits(config: Config, handler: RequestHandler): RequestHandler {
  return echoCorrelation(limitBySize(config, handler), config.get(passthruHttp.correlationHeaderName));
}

function limitBySize(config: Config, handler: RequestHandler): RequestHandler {
  if (!config.get(passthruHttp.messageSizeValidationEnabled)) return handler;
  return limitRequests(handler, config.get(passthruHttp.validMaxMessageSizeInBytes));
}
