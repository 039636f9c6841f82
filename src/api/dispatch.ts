import { getLogger, type Counter, type Metrics } from '#core';
import type { World } from '#artifacts';
import {
  createAnswer,
  describeFault,
  faultAt,
  faultFields,
  STOP,
  type Compiled,
  type Flow,
  type MediationSettings,
} from '#mediation';
import { getHeader, Message, Payload } from '#message';
import type { HttpRequest, HttpResponder, RequestHandler } from '#transport';
import type { CompiledApi } from './artifact.ts';
import { writeCorsHeaders, type CorsSettings } from './cors.ts';
import { definitionFormatOf, findDefinition, type ServerAddress } from './definition.ts';
import { HttpExchange } from './exchange.ts';
import { createApiTable, type ApiMatch, type ApiTable } from './match.ts';
import { allowOf, answerToOptions, isForTheEngine } from './options.ts';
import { setQueryParameters } from './query-parameters.ts';
import { dropFlow, type CompiledResource } from './resource.ts';
import { selectResource } from './select-resource.ts';
import { answerUnhandledFault } from './unhandled-fault.ts';
import type { PayloadValidator } from './validate-payload.ts';
import type { WorkerPool } from './worker-pool.ts';

const log = getLogger('api');

export interface DispatchOptions {
  /** The world for messages that begin now. */
  world(): World;
  readonly settings: MediationSettings;
  readonly cors: CorsSettings;
  readonly metrics: Metrics;
  /** Where APIs are served, for generated definitions. */
  servers(): readonly ServerAddress[];
  /** Limits how many messages are mediated at once. */
  readonly workers?: WorkerPool | undefined;
  /** Examines the body of each request before its flow begins. */
  readonly validate?: PayloadValidator | undefined;
}

/** One request on its way to a resource. */
interface Visit {
  readonly world: World;
  readonly request: HttpRequest;
  readonly exchange: HttpExchange;
  readonly message: Message;
}

/** Sequences with these names take over what the engine would answer itself (runtime-core 2.9). */
const mismatchSequences: Readonly<Record<number, string | undefined>> = {
  404: '_resource_mismatch_handler_',
  405: '_method_not_allowed_handler_',
};

/** Makes the handler that takes requests of the API ports through API, resource and sequences to an answer. */
export function createDispatcher(options: DispatchOptions): RequestHandler {
  const { settings, cors } = options;
  const answer = createAnswer(settings);
  const tables = new WeakMap<World, ApiTable>();
  const counters = createCounters(options.metrics);

  const tableOf = (world: World): ApiTable => {
    let table = tables.get(world);
    if (!table) {
      table = createApiTable(world.ofKind('api').values() as Iterable<CompiledApi>);
      tables.set(world, table);
    }
    return table;
  };

  const handle = (visit: Visit): Flow | Promise<Flow> => {
    const { world, request } = visit;
    const host = getHeader(request.headers, 'Host');
    const { target, scheme } = request;
    const match = tableOf(world).find({ target, scheme, host, onDenied: (api) => noteDenial(visit, api) });
    if (!match) return guarded(visit, runMain);
    const question = match.postfix.indexOf('?');
    const format = question < 0 ? undefined : definitionFormatOf(match.postfix.slice(question + 1));
    if (format && ['GET', 'HEAD', 'OPTIONS'].includes(request.method)) {
      return answerDefinition(visit, match.api, { format, servers: options.servers() });
    }
    counters.api(match.api.key);
    return runApi(visit, match);
  };

  const runApi = (visit: Visit, { api, postfix }: ApiMatch): Flow | Promise<Flow> => {
    const { message, request, exchange, world } = visit;
    describeApi(visit, api, postfix);
    const { method, scheme } = request;
    const subPath = message.properties.get('REST_SUB_REQUEST_PATH') as string;
    const choice = selectResource(api.resources, message, { method, scheme, subPath, hasBody: request.body !== null });
    if ('status' in choice) {
      const handler = world.library.sequence(mismatchSequences[choice.status] ?? '');
      if (handler) return guarded(visit, () => handler(message));
      exchange.answerStatus(choice.status);
      return STOP;
    }
    const { resource } = choice;
    describeResource(message, resource, subPath);
    const origin = message.header('Origin');
    if (method === 'OPTIONS' && isForTheEngine(resource, message)) {
      const { status, headers } = answerToOptions(resource, origin, cors);
      exchange.answerStatus(status, headers);
      return STOP;
    }
    exchange.outFlow = resource.outFlow;
    exchange.validate = api.validation?.response;
    if (origin !== undefined && cors.enabled) {
      const methods = allowOf(resource);
      exchange.decorate = (answered) => writeCorsHeaders(answered.headers, cors, { origin, methods });
    }
    return flowOf(resource, options.validate)(message);
  };

  const serve = (request: HttpRequest, responder: HttpResponder, free: () => void): void => {
    const world = options.world();
    const exchange = new HttpExchange(world.environment, responder, answer);
    exchange.onSent = free;
    const message = createMessage(request, exchange);
    const visit = { world, request, exchange, message };
    const started = performance.now();
    const finish = (): void => {
      finishExchange(visit);
      world.leave();
      counters.done(performance.now() - started, exchange.failed);
      free();
    };
    const crash = (error: unknown): void => {
      answerUnhandledFault(visit, error);
      finish();
    };
    world.enter();
    try {
      const flow = runPreMediation(visit, handle);
      if (typeof flow === 'boolean') finish();
      else flow.then(finish, crash);
    } catch (error) {
      crash(error);
    }
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

const flows = new WeakMap<CompiledResource, Compiled>();

/** The in flow with the query parameters set before it: a malformed one is a fault of the resource. */
function flowOf(resource: CompiledResource, validate: PayloadValidator | undefined): Compiled {
  let flow = flows.get(resource);
  if (!flow) {
    const { inFlow } = resource;
    const withQuery = resource.guard((message) => {
      const path = message.properties.get('REST_SUB_REQUEST_PATH') as string;
      const question = path.indexOf('?');
      if (question >= 0) setQueryParameters(message, path.slice(question + 1));
      const run = inFlow ?? dropFlow;
      const pending = validate?.(message);
      return pending ? pending.then(() => run(message)) : run(message);
    });
    flow = withQuery;
    flows.set(resource, flow);
  }
  return flow;
}

function createMessage(request: HttpRequest, exchange: HttpExchange): Message {
  const { headers, target, method, peer, body, scheme } = request;
  const question = target.indexOf('?');
  const payload = Payload.received(body, {
    contentType: getHeader(headers, 'Content-Type'),
    hasSoapAction: getHeader(headers, 'SOAPAction') !== undefined,
    query: question < 0 ? '' : target.slice(question + 1),
    method,
    contentEncoding: getHeader(headers, 'Content-Encoding'),
  });
  const message = new Message(exchange, payload, headers);
  const { axis2, properties, addressing } = message;
  exchange.ifNoneMatch = getHeader(headers, 'If-None-Match');
  addressing.to = target;
  axis2.set('HTTP_METHOD', method);
  axis2.set('REST_URL_POSTFIX', target);
  axis2.set('TransportInURL', target);
  axis2.set('REMOTE_ADDR', peer.address);
  axis2.set('REMOTE_HOST', peer.address);
  if (body === null) axis2.set('NO_ENTITY_BODY', true);
  properties.set('TRANSPORT_IN_NAME', scheme);
  return message;
}

/** The properties that dispatch leaves on the message (runtime-core 2.3). */
function describeApi({ message, request }: Visit, api: CompiledApi, postfix: string): void {
  const { properties, axis2 } = message;
  const { definition } = api;
  const subPath = postfix === '' || postfix.startsWith('?') ? `/${postfix}` : postfix;
  properties.set('REST_FULL_REQUEST_PATH', request.target);
  properties.set('REST_SUB_REQUEST_PATH', subPath);
  properties.set('REST_METHOD', request.method);
  properties.set('SYNAPSE_REST_API', api.key);
  properties.set('SYNAPSE_REST_API_VERSION', definition.version ?? '');
  properties.set('SYNAPSE_REST_API_VERSION_STRATEGY', definition.versionType ?? '');
  properties.set('REST_API_CONTEXT', definition.context);
  properties.set('REST_URL_PREFIX', `${request.scheme}://${message.header('Host') ?? ''}`);
  properties.set('ARTIFACT_NAME', `api${definition.name}`);
  axis2.set('REST_URL_POSTFIX', postfix);
}

/** What the chosen resource leaves on the message (runtime-core 2.3). */
function describeResource({ properties }: Message, resource: CompiledResource, subPath: string): void {
  properties.set('SYNAPSE_RESOURCE', resource.id);
  properties.set('rest.url.pattern', resource.pattern);
  if (resource.pattern !== '') properties.set('RESOURCE_PATH', subPath);
}

/** An API that is there, but not on this transport, is passed over; the message says so (runtime-core 2.1). */
function noteDenial({ message, request }: Visit, api: CompiledApi): void {
  message.properties.set('TRANSPORT_DENIED', true);
  message.properties.set('IN_TRANSPORT', request.scheme);
  log.warn({ api: api.key, target: request.target }, `the API is not served over ${request.scheme}`);
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

/** What no API takes goes to the sequence `main`. */
function runMain({ world, message }: Visit): Flow | Promise<Flow> {
  return world.library.sequence('main')?.(message) ?? STOP;
}

/** Runs a flow that belongs to no resource, with the sequence `fault` for what fails in it. */
async function guarded(visit: Visit, run: (visit: Visit) => Flow | Promise<Flow>): Promise<Flow> {
  const { world, message } = visit;
  try {
    return await run(visit);
  } catch (error) {
    const handler = world.library.sequence('fault');
    if (!handler) throw error;
    const fault = faultAt(error, 'main', undefined);
    describeFault(message, fault);
    message.exchange.failed = true;
    log.warn(faultFields(fault), 'a message failed; its fault sequence runs');
    return handler(message);
  }
}

async function answerDefinition(
  { world, exchange }: Visit,
  api: CompiledApi,
  request: { format: 'json' | 'yaml'; servers: readonly ServerAddress[] },
): Promise<Flow> {
  const document = await findDefinition(api, world, request);
  exchange.answerText(200, document.contentType, document.text);
  return STOP;
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

function createCounters(metrics: Metrics): {
  api(key: string): void;
  done(milliseconds: number, failed: boolean): void;
} {
  const help = 'Requests that an API took';
  const requests = metrics.counter({ name: 'millrace_api_requests_total', help, labels: ['api'] });
  const failures = metrics
    .counter({ name: 'millrace_api_failures_total', help: 'Requests of which the flow ran a fault sequence' })
    .with();
  const durations = metrics
    .histogram({ name: 'millrace_request_duration_seconds', help: 'Time from a request to the end of its flow' })
    .with();
  const children = new Map<string, Counter>();
  return {
    api(key) {
      let child = children.get(key);
      if (!child) {
        child = requests.with(key);
        children.set(key, child);
      }
      child.inc();
    },
    done(milliseconds, failed) {
      durations.observe(milliseconds / 1000);
      if (failed) failures.inc();
    },
  };
}
