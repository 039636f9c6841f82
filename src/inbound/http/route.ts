import { getLogger, type Counter, type Metrics } from '#core';
import { answerFault, type Route, type Visit } from '#entry';
import { STOP, type Flow, type PortClients } from '#mediation';
import type { World } from '#artifacts';
import { asksForWebSocket, type WebSocketLimits } from '#transport';
import type { CompiledInbound } from '../protocol.ts';
import { SocketClients } from '../web-socket/socket-clients.ts';
import { serveHandshake } from '../web-socket/handshake.ts';
import type { SocketHost } from '../web-socket/socket-flow.ts';
import { socketOf } from '../web-socket/web-socket.ts';
import { httpOf, type HttpInbound } from './http.ts';

const log = getLogger('inbound');

export interface InboundRouteOptions {
  /** The inbound endpoint whose requests come this way. */
  readonly endpoint: string;
  readonly apis: Route;
  readonly services: Route;
  readonly metrics: Metrics;
  /** The WebSockets of the port; absent where it takes none by itself. */
  readonly sockets?: InboundSockets | undefined;
}

/** What the WebSockets of a port need. */
export interface InboundSockets {
  readonly clients: PortClients;
  readonly limits: WebSocketLimits;
  /** The world for what begins now, such as a frame. */
  world(): World;
}

/** Makes the route of the requests of one endpoint (mediators 12.1); it serves all of them. */
export function createInboundRoute(options: InboundRouteOptions): Route {
  const { endpoint: name, apis, services, metrics } = options;
  const host = socketHostOf(options);
  const help = 'Requests that an inbound endpoint took';
  const requests: Counter = metrics
    .counter({ name: 'millrace_inbound_requests_total', help, labels: ['inbound'] })
    .with(name);

  const dispatch = (visit: Visit, endpoint: HttpInbound): Flow | Promise<Flow> => {
    const bound = apis({ ...visit, binding: name });
    if (bound !== undefined) return bound;
    const { pattern } = endpoint;
    if (pattern?.matches(visit.request.target) === true) {
      const found = apis(visit) ?? services(visit);
      if (found !== undefined) return found;
    }
    // Answers to what a sequence sends go to the sequence `main` (runtime-core 3.3).
    const main = visit.world.library.sequence('main');
    visit.exchange.outFlow = main;
    if (!pattern && endpoint.sockets && host && asksForWebSocket(visit.request)) {
      visit.exchange.outFlow = undefined;
      return serveHandshake(visit, endpoint.sockets, host);
    }
    if (!pattern) return endpoint.flow(visit.message);
    return endpoint.guard(main ?? stop)(visit.message);
  };

  return (visit) => {
    const endpoint = visit.world.ofKind('inboundEndpoint').get(name) as CompiledInbound | undefined;
    // A connection may still be open while the endpoint is there no more.
    const compiled = endpoint && httpOf(endpoint);
    if (compiled) {
      requests.inc();
      return compiled.handlers ? runBehind(compiled, visit, dispatch) : dispatch(visit, compiled);
    }
    const socket = endpoint && socketOf(endpoint);
    if (!socket || !host) return refuse(visit, name);
    requests.inc();
    return serveHandshake(visit, socket, host);
  };
}

/** Where the clients of the port live, when it takes WebSockets by itself. */
function socketHostOf({ endpoint, sockets }: InboundRouteOptions): SocketHost | undefined {
  if (!(sockets?.clients instanceof SocketClients)) return undefined;
  const { clients, limits } = sockets;
  return {
    endpoint,
    limits,
    clients,
    world: () => sockets.world(),
    find(current) {
      const found = current.ofKind('inboundEndpoint').get(endpoint) as CompiledInbound | undefined;
      return found && (socketOf(found) ?? httpOf(found)?.sockets);
    },
  };
}

function stop(): Flow {
  return STOP;
}

function refuse({ message, exchange }: Visit, name: string): Flow {
  log.warn({ inbound: name }, 'a request came for an inbound endpoint that is not there any more');
  message.payload.discard();
  answerFault(exchange, message, { reason: `The inbound endpoint ${name} is not available`, status: 503 });
  return STOP;
}

/** Runs the handlers of the endpoint before anything else, and before each answer. */
async function runBehind(
  endpoint: HttpInbound,
  visit: Visit,
  next: (visit: Visit, endpoint: HttpInbound) => Flow | Promise<Flow>,
): Promise<Flow> {
  const { exchange, message } = visit;
  const { requestIn, responseOut } = endpoint.handlers ?? {};
  const outer = exchange.beforeAnswer;
  if (responseOut) {
    exchange.beforeAnswer = async (answer) => {
      if ((await responseOut(answer)) === STOP) return false;
      return outer ? outer(answer) : true;
    };
  }
  if (!requestIn) return next(visit, endpoint);
  let hasPassed = false;
  await endpoint.guard(async () => {
    hasPassed = (await requestIn(message)) !== STOP;
    return STOP;
  })(message);
  return hasPassed ? next(visit, endpoint) : STOP;
}
