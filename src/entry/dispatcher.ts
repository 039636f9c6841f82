import { getLogger, type Metrics, type WorkerPool } from '#core';
import type { World } from '#artifacts';
import {
  createAnswer,
  describeFault,
  faultAt,
  faultFields,
  STOP,
  type Flow,
  type FlowHandlers,
  type MediationSettings,
  type FaultNarratives,
} from '#mediation';
import { getHeader, noteIncident, type Message } from '#message';
import type { HttpRequest, HttpResponder, RequestHandler } from '#transport';
import { createMessage } from './create-message.ts';
import { HttpExchange } from './exchange.ts';
import { answerUnhandledFault } from './unhandled-fault.ts';
import type { Route, Visit } from './visit.ts';

const log = getLogger('entry');

/** The log by which requests are followed through several systems. */
export interface CorrelationLog {
  readonly isOn: boolean;
  /** The header by which callers tell their requests apart. */
  readonly header: string;
}

const correlations = getLogger('correlation');

export interface DispatcherOptions {
  /** The world for messages that begin now. */
  world(): World;
  readonly settings: MediationSettings;
  readonly metrics: Metrics;
  /** Who may serve a request, in the order in which they are asked. */
  readonly routes: readonly Route[];
  /** Handlers around every message. */
  readonly handlers?: FlowHandlers | undefined;
  /** Keeps what happened to messages that failed, for administration. */
  readonly narratives?: FaultNarratives | undefined;
  /** Writes each request to the log `correlation` while it is on. */
  readonly correlationLog?: CorrelationLog | undefined;
  /** Limits how many messages are mediated at once. */
  readonly workers?: WorkerPool | undefined;
  /** The inbound endpoint whose requests these are. */
  readonly inbound?: string | undefined;
}

/** Makes the handler that takes requests of the API ports to what serves their path, and has the last word on them. */
export function createDispatcher(options: DispatcherOptions): RequestHandler {
  const answer = createAnswer(options.settings);
  const counters = createCounters(options.metrics);
  const requestIn = options.handlers?.requestIn;
  const { inbound } = options;

  const handle = (visit: Visit): Flow | Promise<Flow> => {
    for (const route of options.routes) {
      const flow = route(visit);
      if (flow !== undefined) return flow;
    }
    return runGuarded(visit, runMain);
  };

  const serve = (request: HttpRequest, responder: HttpResponder, free: () => void): void => {
    const world = options.world();
    const exchange = new HttpExchange(world.environment, responder, answer);
    exchange.onSent = free;
    exchange.beforeAnswer = options.handlers?.responseOut;
    const message = createMessage(request, exchange);
    const visit: Visit = { world, request, exchange, message, inbound, binding: 'default' };
    if (inbound !== undefined) describeInbound(message, inbound);
    const started = performance.now();
    const end = (): void => {
      finishExchange(visit);
      if (exchange.incidents) tell(visit, performance.now() - started);
      if (options.correlationLog?.isOn) correlate(visit, options.correlationLog, performance.now() - started);
      for (const release of exchange.releases ?? []) release();
      world.leave();
      counters.done(performance.now() - started, exchange.failed);
      free();
    };
    const finish = (): void => {
      const branches = exchange.flows?.ended();
      if (!branches) return end();
      free();
      // A flow that went on beside its branches and only ended is over for its client (runtime-core 3.4).
      if (!exchange.sentAsynchronously) finishExchange(visit);
      void branches.then(end);
    };
    const crash = (error: unknown): void => {
      answerUnhandledFault(visit, error);
      finish();
    };
    const runHandlers = async (run: (message: Message) => Promise<Flow>): Promise<Flow> => {
      let hasPassed = false;
      await runGuarded(visit, async () => {
        hasPassed = (await run(message)) !== STOP;
        return STOP;
      });
      return hasPassed ? runPreMediation(visit, handle) : STOP;
    };
    world.enter();
    try {
      const flow = requestIn ? runHandlers(requestIn) : runPreMediation(visit, handle);
      if (typeof flow === 'boolean') finish();
      else flow.then(finish, crash);
    } catch (error) {
      crash(error);
    }
  };

  /** One record for each message that failed: what happened, in order, and what its client got. */
  const tell = ({ exchange, request, message }: Visit, duration: number): void => {
    const narrative = {
      at: message.now(),
      message: message.id,
      request: `${request.method} ${request.target.split('?', 1)[0] ?? ''}`,
      duration,
      incidents: exchange.incidents ?? [],
      status: exchange.status,
    };
    options.narratives?.add(narrative);
    log.warn({ ...narrative }, 'what happened to a message that failed');
  };

  const { workers } = options;
  if (!workers) return (request, responder) => serve(request, responder, () => undefined);
  return (request, responder) => {
    const isAdmitted = workers.take((free) => {
      if (!responder.finished) return serve(request, responder, free);
      request.body?.cancel();
      free();
    });
    if (!isAdmitted) responder.respond({ status: 503, headers: [] }, null);
  };
}

/** What tells a message of an inbound endpoint from one of the server's listeners (runtime-core 2.3, 4.3). */
function describeInbound({ properties }: Message, name: string): void {
  properties.set('isInbound', true);
  properties.set('inbound.endpoint.name', name);
  properties.set('api.caller', name);
}

function correlate({ request, exchange, message }: Visit, { header }: CorrelationLog, duration: number): void {
  const fields = {
    correlation: getHeader(request.headers, header) ?? message.id,
    method: request.method,
    path: request.target.split('?', 1)[0],
    status: exchange.status,
    duration,
  };
  correlations.info(fields, 'a request was served');
}

/** Runs a flow that has no fault handling of its own, with the sequence `fault` for what fails in it. */
export async function runGuarded(visit: Visit, run: (visit: Visit) => Flow | Promise<Flow>): Promise<Flow> {
  const { world, message } = visit;
  const { handlers } = message;
  const handle = (failed: Message, error: unknown): Flow | Promise<Flow> => runFaultSequence(world, failed, error);
  message.handlers = { handle, outer: handlers };
  try {
    return await run(visit);
  } catch (error) {
    message.handlers = handlers;
    return runFaultSequence(world, message, error);
  }
}

function runFaultSequence(world: World, message: Message, error: unknown): Flow | Promise<Flow> {
  const handler = world.library.sequence('fault');
  if (!handler) throw error;
  const fault = faultAt(error, 'main', undefined);
  describeFault(message, fault);
  message.exchange.failed = true;
  message.place = null;
  noteIncident(message, 'fault', faultFields(fault));
  log.warn(faultFields(fault), 'a message failed; its fault sequence runs');
  return handler(message);
}

/** The sequence `pre-mediate` sees every request first; when it stops, nothing else runs (runtime-core 3.2). */
function runPreMediation(visit: Visit, next: (visit: Visit) => Flow | Promise<Flow>): Flow | Promise<Flow> {
  const before = visit.world.library.sequence('pre-mediate');
  if (!before) return next(visit);
  const flow = before(visit.message);
  if (typeof flow === 'boolean') return flow === STOP ? STOP : next(visit);
  return goOnAfter(flow);

  async function goOnAfter(pending: Promise<Flow>): Promise<Flow> {
    return (await pending) === STOP ? STOP : next(visit);
  }
}

/** What nobody serves goes to the sequence `main`. */
function runMain({ world, message, exchange }: Visit): Flow | Promise<Flow> {
  const main = world.library.sequence('main');
  // Answers to what it sends come back to it (runtime-core 3.3).
  exchange.outFlow = main;
  return main?.(message) ?? STOP;
}

/**
 * The last word on an exchange. A flow that ended without an answer gives 202, as in the original; where the original
 * would have left the client waiting after a failure, it gets 500.
 */
function finishExchange({ exchange, message, request }: Visit): void {
  if (exchange.answered) return;
  message.payload.discard();
  const isLost = exchange.sentAsynchronously;
  const status = isLost && exchange.failed ? 500 : 202;
  if (isLost) {
    log.warn({ target: request.target, message: message.id, status }, 'the flow ended without an answer');
  }
  exchange.answerStatus(status);
}

function createCounters(metrics: Metrics): { done(milliseconds: number, failed: boolean): void } {
  const failures = metrics
    .counter({ name: 'millrace_api_failures_total', help: 'Requests of which the flow ran a fault sequence' })
    .with();
  const durations = metrics
    .histogram({ name: 'millrace_request_duration_seconds', help: 'Time from a request to the end of its flow' })
    .with();
  return {
    done(milliseconds, failed) {
      durations.observe(milliseconds / 1000);
      if (failed) failures.inc();
    },
  };
}
