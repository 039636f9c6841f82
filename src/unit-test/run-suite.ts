import { createApiRoute, type CompiledApi, type CorsSettings } from '#api';
import {
  buildWorld,
  createArtifactReader,
  readConnector,
  type Application,
  type World,
  type WorldSettings,
} from '#artifacts';
import { createMetrics } from '#core';
import { createDispatcher, type ServerAddress } from '#entry';
import { messageOf, type Problem } from '#errors';
import type { Compiled } from '#mediation';
import { createProxyRoute } from '#proxy';
import { createHttpSender, type RequestHandler } from '#transport';
import { failuresOf } from './assertions.ts';
import { createCoverage } from './coverage.ts';
import { createIdleClock, type IdleClock } from './idle-clock.ts';
import { startMockServer, type MockServer } from './mock-server.ts';
import type { Outcome } from './outcome.ts';
import type { CaseResult, SuiteResult } from './result.ts';
import { runSequenceCase } from './sequence-case.ts';
import { runServiceCase } from './service-case.ts';
import { substituteIn, substituteInResource, type Substitutes } from './substitute-addresses.ts';
import type { Suite, TestCase } from './suite.ts';

/** What a suite runs in: the kinds of artifacts and the settings of a server, without its ports and its clock. */
export interface SuiteHost {
  readonly worldSettings: WorldSettings;
  readonly cors: CorsSettings;
}

/** Kinds of artifacts that can be tested. */
const testable = ['sequence', 'api', 'proxy'];
const servers: readonly ServerAddress[] = [
  { scheme: 'http', host: 'localhost', port: 8280 },
  { scheme: 'https', host: 'localhost', port: 8243 },
];

/**
 * Runs a suite in process: its artifacts are deployed into a world of their own, mock services listen on free ports and
 * replace the endpoints that they name, time passes when everybody waits for it, and each case is one message
 * (mediators 17). What is wrong with its artifacts is in the result.
 */
export async function runSuite(suite: Suite, host: SuiteHost): Promise<SuiteResult> {
  const mocks = new Map<string, MockServer>();
  const time = createIdleClock();
  const sender = time.watch(createHttpSender({}));
  const coverage = createCoverage();
  try {
    for (const service of suite.services) mocks.set(service.name, await startMockServer(service));
    const { services } = host.worldSettings;
    const { artifact, supporting, registry, unused } = withMocks(suite, mocks);
    const connectors = await readConnectors(suite);
    const read = createArtifactReader(host.worldSettings.kinds);
    const files = [...connectors.flatMap((connector) => connector.files), artifact, ...supporting];
    const { world, problems } = buildWorld(
      {
        files,
        packed: registry,
        roots: [],
        definitions: new Map(),
        problems: connectors.flatMap((connector) => connector.problems),
      },
      {
        ...host.worldSettings,
        services: { ...services, sender, blockingSender: sender, clock: time.clock, advice: coverage.advice },
      },
      read,
    );
    const found = [...problems, ...unused, ...(await world.start())];
    // Others may stand in the same file.
    const tested = read(artifact).artifacts.map(({ key }) => key);
    const subject = findSubject(world, { file: artifact.file, keys: tested }, found);
    if (!subject || found.some(({ severity }) => severity === 'error')) {
      await world.stop();
      return { file: suite.file, ran: false, problems: found, cases: [], coverage: [] };
    }
    const run = runnerOf(world, subject, host);
    const cases: CaseResult[] = [];
    for (const test of suite.cases) cases.push(await runCase(test, run, time));
    await world.stop();
    const covered = new Set([artifact, ...supporting].map(({ file }) => file));
    return { file: suite.file, ran: true, problems: found, cases, coverage: coverage.report(covered) };
  } finally {
    await sender[Symbol.asyncDispose]();
    for (const mock of mocks.values()) await mock[Symbol.asyncDispose]();
  }
}

/** The connectors of a suite; no import has to turn them on. */
function readConnectors({ connectors }: Suite): Promise<readonly Application[]> {
  return Promise.all(connectors.map(({ file, content }) => readConnector(file, content, true)));
}

type Runner = (test: TestCase) => Promise<Outcome>;

async function runCase(test: TestCase, run: Runner, time: IdleClock): Promise<CaseResult> {
  const { name, position, assertions } = test;
  const began = performance.now();
  try {
    const outcome = await time.finish(run(test));
    const failures = failuresOf(assertions, outcome);
    return { name, position, duration: performance.now() - began, error: undefined, failures };
  } catch (error) {
    return { name, position, duration: performance.now() - began, error: messageOf(error), failures: [] };
  }
}

/** The artifacts of a suite with their endpoints replaced; mock services that replace nothing are told. */
function withMocks(
  suite: Suite,
  mocks: ReadonlyMap<string, MockServer>,
): Pick<Suite, 'artifact' | 'supporting' | 'registry'> & { unused: readonly Problem[] } {
  const substitutes: Substitutes = new Map(
    suite.services.map(({ name, context }) => [name, { address: mocks.get(name)?.address ?? '', context }]),
  );
  const used = new Set<string>();
  const artifact = substituteIn(suite.artifact, substitutes, used);
  const supporting = suite.supporting.map((file) => substituteIn(file, substitutes, used));
  const registry = suite.registry.map((resource) => substituteInResource(resource, substitutes, used));
  const unused = suite.services
    .filter(({ name }) => !used.has(name))
    .map(({ name, position }) => ({
      code: 'MR_UNIT_TEST_MOCK',
      severity: 'warning' as const,
      message: `no endpoint of the suite's artifacts is named "${name}", so the mock service replaces nothing`,
      position,
    }));
  return { artifact, supporting, registry, unused };
}

interface Subject {
  readonly kind: string;
  readonly name: string;
}

/** What is tested; undefined when it is not deployed, which is among the problems then. */
function findSubject(
  world: World,
  { file, keys }: { file: string; keys: readonly string[] },
  problems: Problem[],
): Subject | undefined {
  const deployed = keys.flatMap((key) => world.artifacts.get(key)?.artifact ?? []);
  const subject = deployed.find(({ kind }) => testable.includes(kind));
  if (subject) return subject;
  if (!problems.some(({ severity }) => severity === 'error')) {
    const message = `the artifact to test must be one of ${testable.join(', ')}`;
    problems.push({
      code: 'MR_UNIT_TEST_ARTIFACT',
      severity: 'error',
      message,
      position: { file, line: 1, column: 1 },
    });
  }
  return undefined;
}

function runnerOf(world: World, { kind, name }: Subject, host: SuiteHost): Runner {
  const compiled = world.ofKind(kind).get(name);
  if (kind === 'sequence') return (test) => runSequenceCase(world, compiled as Compiled, test);
  const address =
    kind === 'api'
      ? { path: (compiled as CompiledApi).context, method: 'GET' }
      : { path: `/services/${name}`, method: 'POST' };
  const dispatch = dispatcherOf(world, host);
  return (test) => runServiceCase(dispatch, address, test);
}

function dispatcherOf(world: World, { cors, worldSettings }: SuiteHost): RequestHandler {
  const metrics = createMetrics();
  return createDispatcher({
    world: () => world,
    settings: worldSettings.services.settings,
    metrics,
    handlers: worldSettings.services.handlers,
    routes: [
      createProxyRoute({ metrics, servers: () => servers }),
      createApiRoute({ cors, metrics, servers: () => servers }),
    ],
  });
}
