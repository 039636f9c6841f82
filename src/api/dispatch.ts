import { getLogger, type Counter, type Metrics } from '#core';
import type { World } from '#artifacts';
import { runGuarded, type Route, type ServerAddress, type Visit } from '#entry';
import { STOP, type Compiled, type Flow } from '#mediation';
import { getHeader, type Message } from '#message';
import { asksForWebSocket } from '#transport';
import type { CompiledApi } from './artifact.ts';
import { mayOpenSocket, writeCorsHeaders, type CorsSettings } from './cors.ts';
import { definitionFormatOf, findDefinition } from './definition.ts';
import { createApiTable, type ApiMatch, type ApiTable } from './match.ts';
import type { ApiHandlers } from './handlers.ts';
import { allowOf, answerToOptions, isForTheEngine } from './options.ts';
import { setQueryParameters } from './query-parameters.ts';
import { dropFlow, type CompiledResource } from './resource.ts';
import { selectResource } from './select-resource.ts';
import type { PayloadValidator } from './validate-payload.ts';

const log = getLogger('api');

export interface ApiRouteOptions {
  readonly cors: CorsSettings;
  readonly metrics: Metrics;
  /** Where APIs are served, for generated definitions. */
  servers(): readonly ServerAddress[];
  /** Examines the body of each request before its flow begins. */
  readonly validate?: PayloadValidator | undefined;
}

/** Sequences with these names take over what the engine would answer itself (runtime-core 2.9). */
const mismatchSequences: Readonly<Record<number, string | undefined>> = {
  404: '_resource_mismatch_handler_',
  405: '_method_not_allowed_handler_',
};

/** Makes the route that takes requests through API, resource and sequences to an answer. */
export function createApiRoute(options: ApiRouteOptions): Route {
  const { cors } = options;
  const tables = new WeakMap<World, Map<string, ApiTable>>();
  const count = createCounter(options.metrics);

  const tableOf = ({ world, binding }: Visit): ApiTable => {
    let ofWorld = tables.get(world);
    if (!ofWorld) tables.set(world, (ofWorld = new Map()));
    let table = ofWorld.get(binding);
    if (!table) {
      table = createApiTable(world.ofKind('api').values() as Iterable<CompiledApi>, binding);
      ofWorld.set(binding, table);
    }
    return table;
  };

  const runApi = (visit: Visit, { api, postfix }: ApiMatch): Flow | Promise<Flow> => {
    describeApi(visit, api, postfix);
    const { handlers } = api;
    return handlers ? runBehind(handlers, visit, api) : runResource(visit, api);
  };

  const runBehind = async (handlers: ApiHandlers, visit: Visit, api: CompiledApi): Promise<Flow> => {
    let hasPassed = false;
    await runGuarded(visit, async () => {
      hasPassed = (await handlers.request(visit.message)) !== STOP;
      return STOP;
    });
    return hasPassed ? runResource(visit, api) : STOP;
  };

  const runResource = (visit: Visit, api: CompiledApi): Flow | Promise<Flow> => {
    const { message, request, exchange, world, binding } = visit;
    const { method, scheme } = request;
    const subPath = message.properties.get('REST_SUB_REQUEST_PATH') as string;
    const hasBody = request.body !== null;
    const choice = selectResource(api.resources, message, { method, scheme, subPath, hasBody, binding });
    if ('status' in choice) {
      const handler = world.library.sequence(mismatchSequences[choice.status] ?? '');
      if (handler) return runGuarded(visit, () => handler(message));
      exchange.answerStatus(choice.status);
      return STOP;
    }
    const { resource } = choice;
    describeResource(message, resource, subPath);
    const origin = message.header('Origin');
    if (asksForWebSocket(request) && !mayOpenSocket(cors, origin)) {
      exchange.answerStatus(403);
      return STOP;
    }
    if (method === 'OPTIONS' && isForTheEngine(resource, message)) {
      const { status, headers } = answerToOptions(resource, origin, cors);
      exchange.answerStatus(status, headers);
      return STOP;
    }
    exchange.outFlow = api.handlers ? behindHandlers(api.handlers, resource.outFlow) : resource.outFlow;
    exchange.validate = api.validation?.response;
    if (origin !== undefined && cors.enabled) {
      const methods = allowOf(resource);
      exchange.decorate = (answered) => writeCorsHeaders(answered.headers, cors, { origin, methods });
    }
    return flowOf(resource, options.validate)(message);
  };

  return (visit) => {
    const { request } = visit;
    const host = getHeader(request.headers, 'Host');
    const { target, scheme } = request;
    const match = tableOf(visit).find({ target, scheme, host, onDenied: (api) => noteDenial(visit, api) });
    if (!match) return undefined;
    const question = match.postfix.indexOf('?');
    const format = question < 0 ? undefined : definitionFormatOf(match.postfix.slice(question + 1));
    if (format && ['GET', 'HEAD', 'OPTIONS'].includes(request.method)) {
      return answerDefinition(visit, match.api, { format, servers: options.servers() });
    }
    count(match.api.key);
    return runApi(visit, match);
  };
}

const flows = new WeakMap<CompiledResource, Compiled>();

/** The in flow with its fault handling, which is there for malformed query parameters and bodies too. */
function flowOf(resource: CompiledResource, validate: PayloadValidator | undefined): Compiled {
  let flow = flows.get(resource);
  if (!flow) {
    const { inFlow } = resource;
    flow = resource.guard((message) => {
      const path = message.properties.get('REST_SUB_REQUEST_PATH') as string;
      const question = path.indexOf('?');
      if (question >= 0) setQueryParameters(message, path.slice(question + 1));
      const run = inFlow ?? dropFlow;
      const pending = validate?.(message);
      return pending ? pending.then(() => run(message)) : run(message);
    });
    flows.set(resource, flow);
  }
  return flow;
}

/** The out flow with the handlers of the API before it; without one a response goes straight to the client. */
function behindHandlers(handlers: ApiHandlers, outFlow: Compiled | undefined): Compiled {
  return async (message) => {
    if ((await handlers.response(message)) === STOP) return STOP;
    if (outFlow) return outFlow(message);
    await message.exchange.answer(message);
    return STOP;
  };
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

async function answerDefinition(
  { world, exchange }: Visit,
  api: CompiledApi,
  request: { format: 'json' | 'yaml'; servers: readonly ServerAddress[] },
): Promise<Flow> {
  const document = await findDefinition(api, world, request);
  exchange.answerText(200, document.contentType, document.text);
  return STOP;
}

function createCounter(metrics: Metrics): (key: string) => void {
  const help = 'Requests that an API took';
  const requests = metrics.counter({ name: 'millrace_api_requests_total', help, labels: ['api'] });
  const children = new Map<string, Counter>();
  return (key) => {
    let child = children.get(key);
    if (!child) {
      child = requests.with(key);
      children.set(key, child);
    }
    child.inc();
  };
}
