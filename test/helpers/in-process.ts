import { setImmediate } from 'node:timers/promises';
import { createApiRoute, type CorsSettings } from '#api';
import {
  buildWorld,
  createArtifactReader,
  createLiveArtifacts,
  type SourceSet,
  type World,
  type WorldSettings,
} from '#artifacts';
import { configureLog, createMetrics, createTestClock, getLogger, type TestClock } from '#core';
import { createDispatcher, type ServerAddress } from '#entry';
import type { Problem } from '#errors';
import { createEndpointStates, createMemoryBackground, type ExtensionPlace } from '#mediation';
import { bodySourceOf, readBody, type MessageFormats } from '#message';
import { createInboundRoute } from '#inbound';
import { createProxyRoute } from '#proxy';
import type { Body, HttpRequest, HttpResponder, RequestHandler, ResponseHead } from '#transport';
import { artifactKinds } from '../../src/server/artifact-kinds.ts';
import { builtInArtifacts } from '../../src/server/built-in.ts';
import { caseDatabase, createCaseBackground, type CaseBackground } from './case-background.ts';
import { parseHttp } from './case-file.ts';
import { createFakeSender, type BackEndScript, type RecordedRequest } from './fake-back-end.ts';
import { wireBytes, wireText } from './wire-body.ts';

/** A runtime without ports: artifacts deployed, back ends scripted, time standing still. */
export interface InProcessRuntime {
  readonly clock: TestClock;
  /** What the back ends saw. */
  readonly requests: RecordedRequest[];
  /** The log, one JSON text per line. */
  readonly lines: string[];
  readonly problems: readonly Problem[];
  /** Keys of what was deployed, such as `api:Orders`. */
  readonly deployed: readonly string[];
  /** Starts what the artifacts run besides messages; what could not start is in the result. */
  readonly start: () => Promise<readonly Problem[]>;
  readonly stop: () => Promise<void>;
  /** Sends a request as it would be on the wire, and gives the whole answer as text; `inbound` names the endpoint on whose port it comes. */
  readonly exchange: (text: string, scheme: 'http' | 'https', inbound?: string) => Promise<string>;
  /** Stores, processors and the database. */
  readonly background: CaseBackground;
}

/** Settings that tests can rely on. */
const defaultSettings = {
  globalTimeout: 120_000,
  maxBodyBytes: 1_000_000,
  preservedHeaders: new Set<string>(['content-type']),
  suspendDuration: 30_000,
  suspendFactor: 1,
};

/** What a runtime without ports consists of, before anything is deployed. */
export interface InProcessParts {
  readonly clock: TestClock;
  readonly requests: RecordedRequest[];
  readonly lines: string[];
  readonly worldSettings: WorldSettings;
  /** Sends requests into whatever world is the current one when they begin. */
  readonly exchangeIn: (world: () => World) => InProcessRuntime['exchange'];
}

/** Makes the parts of a runtime: scripted back ends, a clock that stands still, a log that is kept. */
export function prepareInProcess(options: {
  scripts: readonly BackEndScript[];
  cors?: CorsSettings | undefined;
  formats?: MessageFormats | undefined;
  extensions?: ExtensionPlace | undefined;
}): InProcessParts {
  const { scripts, formats } = options;
  const cors = options.cors ?? { enabled: true, allowOrigins: [], allowHeaders: '' };
  const settings = formats ? { ...defaultSettings, formats } : defaultSettings;
  const lines: string[] = [];
  configureLog({ level: 'debug', format: 'json', destination: { write: (line) => void lines.push(line) } });
  const clock = createTestClock();
  const { sender, requests } = createFakeSender(scripts);
  const external = {
    environment: {
      CASE_ENV: 'from-environment',
      CASE_URL: 'http://env/base',
      CASE_NUMBER: '2000',
      CASE_FLAG: 'true',
      CASE_NAME: 'Spare',
    },
    system: new Map(),
    file: new Map([
      ['case.file', 'from-file'],
      ['case.url', 'http://file/base'],
    ]),
    identity: new Map([
      ['SERVER_HOST', 'case-host'],
      ['SERVER_IP', '192.0.2.1'],
    ]),
    secret: () => 's3cret',
  };
  const services = {
    sender,
    clock,
    log: getLogger('mediation'),
    settings,
    endpointStates: createEndpointStates(),
    ...(options.extensions ? { extensions: options.extensions } : {}),
    background: {
      ...createMemoryBackground(clock, import.meta.dirname, new Map([['CaseDb', { url: caseDatabase }]])),
      serverNames: ['case-node', 'localhost'],
    },
  };
  return {
    clock,
    requests,
    lines,
    worldSettings: { kinds: artifactKinds, services, external, builtIn: builtInArtifacts, registryCache: 0 },
    exchangeIn(world) {
      const plain: ServerAddress = { scheme: 'http', host: 'localhost', port: 8280 };
      const secure: ServerAddress = { scheme: 'https', host: 'localhost', port: 8243 };
      const metrics = createMetrics();
      const proxies = createProxyRoute({ metrics, servers: () => [plain, secure] });
      const apis = createApiRoute({ cors, metrics, servers: () => [plain] });
      const common = { world, settings, metrics };
      const dispatch = createDispatcher({ ...common, routes: [proxies, apis] });
      return (text, scheme, inbound) => {
        if (inbound === undefined) return exchange(dispatch, text, scheme);
        const routes = [createInboundRoute({ endpoint: inbound, apis, services: proxies, metrics })];
        return exchange(createDispatcher({ ...common, inbound, routes }), text, scheme);
      };
    },
  };
}

/** Deploys artifacts in process; what is wrong with them is in the result. */
export function startInProcess(parts: {
  sources: SourceSet;
  scripts: readonly BackEndScript[];
  cors: CorsSettings;
  formats?: MessageFormats | undefined;
  extensions?: ExtensionPlace | undefined;
}): InProcessRuntime {
  const { clock, requests, lines, worldSettings, exchangeIn } = prepareInProcess(parts);
  const { world, problems } = buildWorld(parts.sources, worldSettings, createArtifactReader(worldSettings.kinds));
  const live = createLiveArtifacts(() => world, worldSettings.services);
  void live.apply(world);
  return {
    clock,
    requests,
    lines,
    problems,
    deployed: [...world.artifacts.keys()],
    start: () => world.start(),
    stop: () => world.stop(),
    exchange: exchangeIn(() => world),
    background: createCaseBackground(worldSettings.services.background, () => world, live),
  };
}

/** Sends one request through the dispatcher and gives the whole answer as text. */
function exchange(dispatch: RequestHandler, text: string, scheme: 'http' | 'https'): Promise<string> {
  const { first, headers, body } = parseHttp(text);
  const [method = '', target = ''] = first.split(' ');
  const request: HttpRequest = {
    method,
    target,
    headers: headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
      ? headers
      : ['Host', scheme === 'http' ? 'localhost:8280' : 'localhost:8243', ...headers],
    body: body === '' ? null : bodySourceOf(wireBytes(headers, body)),
    peer: { address: '127.0.0.1', port: 4711 },
    scheme,
    localPort: scheme === 'http' ? 8280 : 8243,
    version: '1.1',
  };
  return new Promise((resolve, reject) => {
    let finished = false;
    const responder: HttpResponder = {
      get finished() {
        return finished;
      },
      respond(head, responseBody) {
        if (finished) throw new Error('answered twice');
        finished = true;
        render(head, responseBody).then(resolve, reject);
      },
      onGone: () => undefined,
    };
    dispatch(request, responder);
  });
}

async function render(head: ResponseHead, body: Body): Promise<string> {
  const bytes = body === null ? new Uint8Array() : body instanceof Uint8Array ? body : await readBody(body, 1e9);
  const headers: string[] = [];
  for (let index = 0; index < head.headers.length; index += 2) {
    headers.push(`${head.headers[index] ?? ''}: ${head.headers[index + 1] ?? ''}`);
  }
  const first = head.reason === undefined ? String(head.status) : `${head.status} ${head.reason}`;
  return [first, ...headers, '', wireText(head.headers, bytes)].join('\n');
}

/** Lets everything run that does not wait for the clock. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}
