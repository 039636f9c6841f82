import { setImmediate } from 'node:timers/promises';
import { api, createDispatcher } from '#api';
import { buildWorld, coreKinds, createArtifactReader, type SourceSet } from '#artifacts';
import { configureLog, createMetrics, createTestClock, getLogger, type TestClock } from '#core';
import { formatProblem, type Problem } from '#errors';
import { createEndpointStates } from '#mediation';
import { bodySourceOf, readBody } from '#message';
import { builtInArtifacts } from '../../src/server/built-in.ts';
import type { Body, HttpRequest, HttpResponder, RequestHandler, ResponseHead } from '#transport';
import { shownLog, shownRequests, shownResponse } from './case-expectations.ts';
import { formatCase, parseCase, parseHttp, type Section } from './case-file.ts';
import { createFakeSender, type RecordedRequest } from './fake-back-end.ts';

export interface CaseResult {
  /** The case with what really happened in its expectations. */
  readonly actual: string;
  /** The case as it is written, in the same normal form. */
  readonly expected: string;
}

/** Defaults that cases can rely on. */
const settings = {
  globalTimeout: 120_000,
  maxBodyBytes: 1_000_000,
  preservedHeaders: new Set<string>(['content-type']),
  suspendDuration: 30_000,
  suspendFactor: 1,
};

/**
 * Runs one golden case in process: its artifacts are deployed, its requests dispatched one after the other against
 * scripted back ends, and each `expect …` section is replaced by what happened.
 */
export async function runCase(text: string): Promise<CaseResult> {
  const { description, sections } = parseCase(text);
  const lines: string[] = [];
  configureLog({ level: 'debug', format: 'json', destination: { write: (line) => void lines.push(line) } });
  const clock = createTestClock();
  const scripts = sections
    .filter(({ title }) => title.startsWith('backend '))
    .map((section) => ({ match: section.title.slice('backend '.length), text: section.text }));
  const { sender, requests } = createFakeSender(scripts);
  const kinds = [...coreKinds, api];
  const services = { sender, clock, log: getLogger('mediation'), settings, endpointStates: createEndpointStates() };
  const external = {
    environment: { CASE_ENV: 'from-environment', CASE_URL: 'http://env/base' },
    system: new Map(),
    file: new Map([
      ['case.file', 'from-file'],
      ['case.url', 'http://file/base'],
    ]),
    secret: () => 's3cret',
  };
  const built = buildWorld(
    sourcesOf(sections),
    { kinds, services, external, builtIn: builtInArtifacts, registryCache: 0 },
    createArtifactReader(kinds),
  );
  const dispatch = createDispatcher({
    world: () => built.world,
    settings,
    cors: corsOf(sections),
    metrics: createMetrics(),
    servers: () => [{ scheme: 'http', host: 'localhost', port: 8280 }],
  });
  const run: CaseRun = { requests, lines, clock, problems: built.problems, dispatch, response: '' };
  const actual: Section[] = [];
  for (const section of sections) actual.push(await perform(run, section));
  return { actual: formatCase(description, actual), expected: formatCase(description, sections) };
}

/** What has happened so far in a case. */
interface CaseRun {
  readonly requests: RecordedRequest[];
  readonly lines: string[];
  readonly clock: TestClock;
  readonly problems: readonly Problem[];
  readonly dispatch: RequestHandler;
  /** The last answer as text; `pending` while there is none. */
  response: string;
}

/** Does what a section says; an expectation is given back with what really happened. */
async function perform(run: CaseRun, section: Section): Promise<Section> {
  const { title, text } = section;
  switch (title) {
    case 'request':
    case 'request https':
      await send(run, section);
      return section;
    case 'start request':
      void send(run, section);
      return section;
    case 'advance':
      await quiet();
      run.clock.advance(Number(text.trim()));
      await quiet();
      return section;
    case 'expect response':
      await quiet();
      return { title, text: run.response === 'pending' ? 'pending\n' : shownResponse(run.response, text) };
    case 'expect backend':
      await quiet();
      return { title, text: shownRequests(run.requests, text) };
    case 'expect log':
      return { title, text: shownLog(run.lines, text) };
    case 'expect problems':
      return { title, text: run.problems.map((problem) => `${formatProblem(problem)}\n`).join('') };
    default:
      return section;
  }
}

/** Sends the request of a section and waits for its answer. */
async function send(run: CaseRun, { title, text }: Section): Promise<void> {
  run.requests.length = 0;
  run.lines.length = 0;
  run.response = 'pending';
  run.response = await exchange(run.dispatch, text, title === 'request https' ? 'https' : 'http');
  await quiet();
}

/** Lets everything run that does not wait for the clock. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

function sourcesOf(sections: readonly Section[]): SourceSet {
  const files = sections
    .filter(({ title }) => title.startsWith('artifact'))
    .map(({ title, text }, index) => ({ file: title.split(' ')[1] ?? `artifact-${index + 1}.xml`, text: text.trim() }));
  const packed = sections
    .filter(({ title }) => title.startsWith('registry '))
    .map(({ title, text }) => ({
      path: title.slice('registry '.length),
      content: Buffer.from(text.trim()),
      properties: new Map<string, string>(),
    }));
  const definitions = new Map(
    sections
      .filter(({ title }) => title.startsWith('definition '))
      .map(({ title, text }) => [title.slice('definition '.length), text] as const),
  );
  return { files, packed, roots: [], definitions, problems: [] };
}

function corsOf(sections: readonly Section[]): { enabled: boolean; allowOrigins: string[]; allowHeaders: string } {
  const text = sections.find(({ title }) => title === 'cors')?.text.trim();
  return { enabled: true, allowOrigins: text === undefined ? [] : text.split(/\s+/), allowHeaders: 'X-Allowed' };
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
    body: body === '' ? null : bodySourceOf(Buffer.from(body)),
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
  return [String(head.status), ...headers, '', Buffer.from(bytes).toString('utf8')].join('\n');
}
