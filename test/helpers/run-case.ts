import type { CorsSettings } from '#api';
import type { SourceSet } from '#artifacts';
import { loadConfig, usableConfig } from '#config';
import { formatProblem } from '#errors';
import { readMessageFormats, type MessageFormats } from '#message';
import { shownLog, shownRequests, shownResponse } from './case-expectations.ts';
import { formatCase, parseCase, type Section } from './case-file.ts';
import { quiet, startInProcess, type InProcessRuntime } from './in-process.ts';

export interface CaseResult {
  /** The case with what really happened in its expectations. */
  readonly actual: string;
  /** The case as it is written, in the same normal form. */
  readonly expected: string;
}

/**
 * Runs one golden case in process: its artifacts are deployed, its requests dispatched one after the other against
 * scripted back ends, and each `expect …` section is replaced by what happened.
 */
export async function runCase(text: string): Promise<CaseResult> {
  const { description, sections } = parseCase(text);
  const scripts = sections
    .filter(({ title }) => title.startsWith('backend '))
    .map((section) => ({ match: section.title.slice('backend '.length), text: section.text }));
  const formats = await formatsOf(sections);
  const runtime = startInProcess({ sources: sourcesOf(sections), scripts, cors: corsOf(sections), formats });
  const run: CaseRun = { runtime, response: '' };
  const actual: Section[] = [];
  for (const section of sections) actual.push(await perform(run, section));
  return { actual: formatCase(description, actual), expected: formatCase(description, sections) };
}

/** What has happened so far in a case. */
interface CaseRun {
  readonly runtime: InProcessRuntime;
  /** The last answer as text; `pending` while there is none. */
  response: string;
}

/** Does what a section says; an expectation is given back with what really happened. */
async function perform(run: CaseRun, section: Section): Promise<Section> {
  const { title, text } = section;
  const { runtime } = run;
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
      runtime.clock.advance(Number(text.trim()));
      await quiet();
      return section;
    case 'expect response':
      await quiet();
      return { title, text: run.response === 'pending' ? 'pending\n' : shownResponse(run.response, text) };
    case 'expect backend':
      await quiet();
      return { title, text: shownRequests(runtime.requests, text) };
    case 'expect log':
      return { title, text: shownLog(runtime.lines, text) };
    case 'sql':
      await runtime.background.sql(text);
      return section;
    case 'expect problems':
      return { title, text: runtime.problems.map((problem) => `${formatProblem(problem)}\n`).join('') };
    default:
      return performNamed(run, section);
  }
}

/** Does what a section says whose title ends in the name of something. */
async function performNamed({ runtime }: CaseRun, section: Section): Promise<Section> {
  const { title } = section;
  const [, action = '', name = ''] = /^(expect store|expect sql|activate|deactivate) (.+)$/.exec(title) ?? [];
  const { background } = runtime;
  switch (action) {
    case 'expect store':
      await quiet();
      return { title, text: await background.store(name) };
    case 'expect sql':
      await quiet();
      return { title, text: await background.rows(name) };
    case 'activate':
    case 'deactivate':
      await background.steer(name, action === 'activate');
      await quiet();
      return section;
    default:
      return section;
  }
}

/** Sends the request of a section and waits for its answer. */
async function send(run: CaseRun, { title, text }: Section): Promise<void> {
  const { runtime } = run;
  runtime.requests.length = 0;
  runtime.lines.length = 0;
  run.response = 'pending';
  run.response = await runtime.exchange(text, title === 'request https' ? 'https' : 'http');
  await quiet();
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

/** What a section `configuration` says about reading and writing bodies. */
async function formatsOf(sections: readonly Section[]): Promise<MessageFormats | undefined> {
  const text = sections.find(({ title }) => title === 'configuration')?.text;
  if (text === undefined) return undefined;
  return readMessageFormats(usableConfig(loadConfig({ text, file: 'deployment.toml', env: {} })), '.');
}

function corsOf(sections: readonly Section[]): CorsSettings {
  const text = sections.find(({ title }) => title === 'cors')?.text.trim();
  return { enabled: true, allowOrigins: text === undefined ? [] : text.split(/\s+/), allowHeaders: 'X-Allowed' };
}
