import { api, createDispatcher } from '#api';
import { buildWorld, coreKinds, createArtifactReader, type SourceSet } from '#artifacts';
import { configureLog, createMetrics, createTestClock, getLogger } from '#core';
import { formatProblem } from '#errors';
import { bodySourceOf, readBody } from '#message';
import { builtInArtifacts } from '#server';
import type { Body, HttpRequest, HttpResponder, ResponseHead } from '#transport';
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
  const services = { sender, clock, log: getLogger('mediation'), settings };
  const external = {
    environment: { CASE_ENV: 'from-environment' },
    system: new Map(),
    file: new Map([['case.file', 'from-file']]),
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
  const actual: Section[] = [];
  let response = 'no request was made\n';
  for (const section of sections) {
    const kind = section.title;
    if (kind === 'request') {
      requests.length = 0;
      lines.length = 0;
      response = await exchange(dispatch, section.text);
      actual.push(section);
    } else if (kind === 'advance') {
      clock.advance(Number(section.text.trim()));
      actual.push(section);
    } else if (kind === 'expect response') actual.push({ title: kind, text: shownResponse(response, section.text) });
    else if (kind === 'expect backend') actual.push({ title: kind, text: shownRequests(requests, section.text) });
    else if (kind === 'expect log') actual.push({ title: kind, text: shownLog(lines, section.text) });
    else if (kind === 'expect problems') {
      actual.push({ title: kind, text: built.problems.map((problem) => `${formatProblem(problem)}\n`).join('') });
    } else actual.push(section);
  }
  return { actual: formatCase(description, actual), expected: formatCase(description, sections) };
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
  return { files, packed, roots: [], definitions: new Map(), problems: [] };
}

function corsOf(sections: readonly Section[]): { enabled: boolean; allowOrigins: string[]; allowHeaders: string } {
  const text = sections.find(({ title }) => title === 'cors')?.text.trim();
  return { enabled: true, allowOrigins: text === undefined ? [] : text.split(/\s+/), allowHeaders: 'X-Allowed' };
}

/** Sends one request through the dispatcher and gives the whole answer as text. */
function exchange(dispatch: ReturnType<typeof createDispatcher>, text: string): Promise<string> {
  const { first, headers, body } = parseHttp(text);
  const [method = '', target = ''] = first.split(' ');
  const request: HttpRequest = {
    method,
    target,
    headers: headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
      ? headers
      : ['Host', 'localhost:8280', ...headers],
    body: body === '' ? null : bodySourceOf(Buffer.from(body)),
    peer: { address: '127.0.0.1', port: 4711 },
    scheme: 'http',
    localPort: 8280,
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

/**
 * The answer as the expectation looks at it: its status, those headers that the expectation names (`!Name` for one
 * that must be absent), and the body. An expectation that ends after its headers does not look at the body.
 */
function shownResponse(response: string, expectation: string): string {
  const actual = parseHttp(response);
  return [actual.first, ...shownHeaders(actual.headers, expectation), ...shownBody(actual.body, expectation)].join(
    '\n',
  );
}

function shownRequests(requests: readonly RecordedRequest[], expectation: string): string {
  if (requests.length === 0) return 'none\n';
  const parts = expectation.split(/^===$/m);
  return requests
    .map(({ line, headers, body }, index) => {
      const wanted = parts[index]?.replace(/^\n/, '') ?? '';
      return [line, ...shownHeaders([...headers], wanted), ...shownBody(body, wanted)].join('\n').replace(/\n*$/, '\n');
    })
    .join('===\n');
}

function shownHeaders(headers: readonly string[], expectation: string): string[] {
  const wanted = expectation.split('\n').slice(1);
  const end = wanted.findIndex((line) => line.trim() === '');
  const pairs = Array.from(
    { length: headers.length / 2 },
    (_, index) => [headers[index * 2] ?? '', headers[index * 2 + 1] ?? ''] as const,
  );
  return wanted.slice(0, end < 0 ? undefined : end).map((line) => {
    const name = line.replace(/^!/, '').split(':', 1)[0]?.trim().toLowerCase() ?? '';
    const values = pairs.filter(([candidate]) => candidate.toLowerCase() === name);
    if (values.length === 0) return `!${line.replace(/^!/, '').split(':', 1)[0] ?? ''}`;
    return values.map(([candidate, value]) => `${candidate}: ${value}`).join('\n');
  });
}

function shownBody(body: string, expectation: string): string[] {
  return /\n[ \t]*\n/.test(expectation) || body === '' ? (body === '' ? [''] : ['', body]) : [''];
}

/** The log lines of the expectation that really occur, as substrings of messages; the others are marked. */
function shownLog(lines: readonly string[], expectation: string): string {
  const messages = lines.map((line) => JSON.parse(line) as { msg?: string });
  return expectation
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (messages.some(({ msg }) => msg?.includes(line.trim())) ? line : `(not logged) ${line}`))
    .join('\n');
}
