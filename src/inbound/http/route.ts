import { getLogger, type Counter, type Metrics } from '#core';
import { answerFault, type Route, type Visit } from '#entry';
import { STOP, type Flow } from '#mediation';
import type { CompiledInbound } from '../protocol.ts';
import { httpOf, type HttpInbound } from './http.ts';

const log = getLogger('inbound');

export interface InboundRouteOptions {
  /** The inbound endpoint whose requests come this way. */
  readonly endpoint: string;
  readonly apis: Route;
  readonly services: Route;
  readonly metrics: Metrics;
}

/** Makes the route of the requests of one endpoint (mediators 12.1); it serves all of them. */
export function createInboundRoute({ endpoint: name, apis, services, metrics }: InboundRouteOptions): Route {
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
    if (!pattern) return endpoint.flow(visit.message);
    return endpoint.guard(main ?? stop)(visit.message);
  };

  return (visit) => {
    const endpoint = visit.world.ofKind('inboundEndpoint').get(name) as CompiledInbound | undefined;
    // A connection may still be open while the endpoint is there no more.
    const compiled = endpoint && httpOf(endpoint);
    if (!compiled) return refuse(visit, name);
    requests.inc();
    return compiled.handlers ? runBehind(compiled, visit, dispatch) : dispatch(visit, compiled);
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
