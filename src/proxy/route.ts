import { getLogger, type Counter, type Metrics } from '#core';
import { answerFault, type Route, type ServerAddress, type Visit } from '#entry';
import { soapVersionOfRequest, STOP } from '#mediation';
import { getHeader, parameterOf, Payload, type HeaderList, type PayloadOrigin } from '#message';
import type { CompiledProxy } from './compile.ts';
import { answerDocument, documentRequestOf } from './documents.ts';
import { serveMessage } from './serve-message.ts';
import { findService, type ServicePath } from './service-path.ts';
import type { ServiceAddresses } from './wsdl/ports.ts';

const log = getLogger('proxy');

export interface ProxyRouteOptions {
  readonly metrics: Metrics;
  /** Where services are reached, for their descriptions. */
  servers(): readonly ServerAddress[];
  /** URLs below which answers may go that a client wants elsewhere (WS-Addressing). */
  readonly replyAddresses?: readonly string[] | undefined;
  /** What stands in descriptions instead of `scheme://host:port`, by scheme. */
  readonly prefixes?: Readonly<Partial<Record<'http' | 'https', string>>> | undefined;
}

/** Makes the route that takes requests below `/services` to proxy services (runtime-core 1.2). */
export function createProxyRoute(options: ProxyRouteOptions): Route {
  const count = createCounter(options.metrics);
  return (visit) => {
    const { world, request } = visit;
    const services = world.ofKind('proxy') as ReadonlyMap<string, CompiledProxy>;
    if (services.size === 0) return undefined;
    const path = findService(request.target, (name) => services.has(name));
    const proxy = path && services.get(path.name);
    if (!path || !proxy) return undefined;
    count(path.name);
    describeProxy(visit, path);
    const refusal = refusalOf(visit, proxy);
    if (refusal !== undefined) {
      log.warn({ proxy: path.name, target: request.target, reason: refusal.reason }, 'the service refuses a request');
      visit.message.payload.discard();
      answerFault(visit.exchange, visit.message, refusal);
      return STOP;
    }
    const asksForDocument = request.method === 'GET' || request.method === 'HEAD';
    const document = asksForDocument ? documentRequestOf(path.postfix) : undefined;
    if (document) {
      const addresses = addressesOf(proxy, options);
      return answerDocument(visit, proxy, { request: document, addresses });
    }
    return serveMessage(visit, proxy, options.replyAddresses ?? []);
  };
}

/** Where a service is reached by those listeners that its `transports` admit. */
export function addressesOf({ definition }: CompiledProxy, options: ProxyRouteOptions): ServiceAddresses {
  const { name, transports } = definition;
  const served = options.servers().filter(({ scheme }) => transports?.includes(scheme) ?? true);
  return {
    service: name,
    bases: served.map(({ scheme, host, port }) => ({
      scheme,
      base: options.prefixes?.[scheme]?.replace(/\/+$/, '') ?? `${scheme}://${host}:${port}`,
    })),
  };
}

interface Refusal {
  readonly reason: string;
  readonly status?: number;
  readonly code?: 'Client';
}

/** Why a service takes no message of this request; undefined when it does. */
function refusalOf({ request, message, inbound }: Visit, proxy: CompiledProxy): Refusal | undefined {
  const { name, transports, behaviour } = proxy.definition;
  const isExposed = transports?.includes(request.scheme) ?? true;
  if (!isExposed || (behaviour.inboundOnly && inbound === undefined)) {
    return { reason: `The service cannot be found for the endpoint reference (EPR) ${request.target}` };
  }
  if (!proxy.active) return { reason: `The service ${name} is inactive` };
  if (!behaviour.refusesRest && !behaviour.refusesSoap) return undefined;
  const isSoap = soapVersionOfRequest(message.payload.origin) !== undefined;
  const isDocument = request.method === 'GET' && documentRequestOf(request.target) !== undefined;
  if (isSoap ? !behaviour.refusesSoap : !behaviour.refusesRest || isDocument) return undefined;
  return {
    reason: `The service ${name} does not take ${isSoap ? 'SOAP' : 'REST'} messages`,
    status: 403,
    code: 'Client',
  };
}

/** What dispatch leaves on a message for a proxy service (runtime-core 1.2, 4.3). */
function describeProxy(visit: Visit, { name, postfix }: ServicePath): void {
  const { message, request } = visit;
  const { properties, axis2, addressing } = message;
  properties.set('proxy.name', name);
  properties.set('ARTIFACT_NAME', `proxy${name}`);
  properties.set('REST_URL_PREFIX', `${request.scheme}://${message.header('Host') ?? ''}`);
  axis2.set('REST_URL_POSTFIX', postfix);
  const { origin } = message.payload;
  addressing.action = actionOf(request.headers, origin);
  const { behaviour } = (visit.world.ofKind('proxy').get(name) as CompiledProxy).definition;
  const isXml = request.method === 'POST' && /^text\/xml\b/i.test(origin.contentType ?? '');
  // What a sequence before the service has read already was read as usual.
  if (message.payload.loaded || (!isXml && !behaviour.allowDtd && !behaviour.wrapper)) return;
  const { allowDtd, wrapper } = behaviour;
  const reading = { allowDtd, wrapper, allowPlainXml: isXml && !origin.hasSoapAction };
  // At a service, `text/xml` is SOAP 1.1 even where the client left the SOAPAction out.
  const own: PayloadOrigin = { ...origin, hasSoapAction: origin.hasSoapAction || isXml, reading };
  message.payload = Payload.received(request.body, own);
  message.exchange.received = own;
}

/** The action of a request: `SOAPAction`, or the parameter of the content type in SOAP 1.2. */
function actionOf(headers: HeaderList, { contentType }: PayloadOrigin): string | undefined {
  const header = getHeader(headers, 'SOAPAction')?.trim();
  const action = header ?? (contentType === undefined ? undefined : parameterOf(contentType, 'action'));
  return action?.replace(/^"(.*)"$/, '$1') || undefined;
}

function createCounter(metrics: Metrics): (name: string) => void {
  const help = 'Requests that a proxy service took';
  const requests = metrics.counter({ name: 'millrace_proxy_requests_total', help, labels: ['proxy'] });
  const children = new Map<string, Counter>();
  return (name) => {
    let child = children.get(name);
    if (!child) {
      child = requests.with(name);
      children.set(name, child);
    }
    child.inc();
  };
}
