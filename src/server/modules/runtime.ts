import { createApiRoute, createPayloadValidator } from '#api';
import { millrace, passthruHttp, passthruHttpTransport, transportPassthruHttps, type Config } from '#config';
import { createWorkerPool, defineModule } from '#core';
import { createDispatcher, type ServerAddress } from '#entry';
import { createProxyRoute, type ProxyRouteOptions } from '#proxy';
import type { HttpListener, RequestHandler } from '#transport';
import type { ServerContext } from '../context.ts';
import { echoCorrelation } from '../correlation-header.ts';
import { listen, listenerModule } from '../listen.ts';
import { limitRequests } from '../message-size.ts';
import { trafficRoles } from '../roles.ts';
import { serveServiceList } from '../service-list.ts';
import { readApiListenerOptions } from '../transport-settings.ts';

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
    const dispatcher = createDispatcher({
      handlers: context.services.handlers,
      world: () => deployer.current,
      settings: settings.mediation,
      metrics,
      narratives: context.narratives,
      correlationLog: context.steering.correlationLog,
      routes: [
        createProxyRoute({
          metrics,
          servers,
          prefixes: wsdlPrefixes(config),
          replyAddresses: config.get(millrace.replyAddresses),
        }),
        createApiRoute({ cors: settings.cors, metrics, servers, validate }),
      ],
      workers: createWorkerPool({
        core: config.get(passthruHttp.workerPoolSizeCore),
        max: config.get(passthruHttp.workerPoolSizeMax),
        queue: config.get(passthruHttp.workerPoolQueueLength),
        expectedWait: config.milliseconds(passthruHttp.expectedMaxQueueingTime),
      }),
    });
    const handler = withPolicies(context, dispatcher);
    const plain = {
      ...settings.apiHttp,
      name: 'API HTTP',
      scheme: 'http',
      key: 'transport.passthru_http.listener',
      options: readApiListenerOptions(config, 'http'),
    } as const;
    const secure = {
      ...settings.apiHttps,
      name: 'API HTTPS',
      scheme: 'https',
      key: 'transport.passthru_https.listener',
      tls: 'api',
      options: readApiListenerOptions(config, 'https'),
    } as const;
    const opened = await Promise.allSettled(
      [
        { listener: plain, handle: handler },
        { listener: secure, handle: withModules(context, handler) },
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
    return listenerModule(listeners);
  },
});

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
  const limited = limitBySize(config, listed);
  return echoCorrelation(limited, config.get(passthruHttp.correlationHeaderName));
}

function limitBySize(config: Config, handler: RequestHandler): RequestHandler {
  if (!config.get(passthruHttp.messageSizeValidationEnabled)) return handler;
  return limitRequests(handler, config.get(passthruHttp.validMaxMessageSizeInBytes));
}
