import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CorsSettings } from '#api';
import type { SourceSet } from '#artifacts';
import { loadConfig, millrace, usableConfig, type Config } from '#config';
import { formatProblem, type Problem } from '#errors';
import type { ExtensionPlace } from '#mediation';
import { readMessageFormats } from '#message';
import { shownLog, shownRequests, shownResponse } from './case-expectations.ts';
import { formatCase, parseCase, type Section } from './case-file.ts';
import { quiet, startInProcess, type InProcessRuntime } from './in-process.ts';
import { writeFiles } from './temporary-files.ts';

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
  const config = configOf(sections);
  const formats = config && (await readMessageFormats(config, '.'));
  const extensions = extensionsOf(sections, config);
  const sources = sourcesOf(sections);
  const runtime = startInProcess({ sources, scripts, cors: corsOf(sections), formats, extensions });
  const run: CaseRun = { runtime, response: '', failures: await runtime.start(), extensions };
  const actual: Section[] = [];
  for (const section of sections) actual.push(await perform(run, section));
  await runtime.stop();
  if (extensions) rmSync(extensions.directory, { recursive: true });
  return { actual: formatCase(description, actual), expected: formatCase(description, sections) };
}

/** What has happened so far in a case. */
interface CaseRun {
  readonly runtime: InProcessRuntime;
  /** The last answer as text; `pending` while there is none. */
  response: string;
  /** What did not start with the artifacts. */
  readonly failures: readonly Problem[];
  readonly extensions: ExtensionPlace | undefined;
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
      return { title, text: shownProblems(run) };
    default:
      return performNamed(run, section);
  }
}

/** Does what a section says whose title ends in the name of something. */
async function performNamed(run: CaseRun, section: Section): Promise<Section> {
  const { title } = section;
  const { runtime } = run;
  const [, action = '', name = ''] =
    /^(request inbound|expect store|expect sql|activate|deactivate) (.+)$/.exec(title) ?? [];
  const { background } = runtime;
  switch (action) {
    case 'request inbound':
      await send(run, section, name);
      return section;
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

/** Sends the request of a section, on the port of an inbound endpoint if one is named, and waits for its answer. */
async function send(run: CaseRun, { title, text }: Section, inbound?: string): Promise<void> {
  const { runtime } = run;
  runtime.requests.length = 0;
  runtime.lines.length = 0;
  run.response = 'pending';
  run.response = await runtime.exchange(text, title === 'request https' ? 'https' : 'http', inbound);
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

/** Findings as text, in which the folder of the extensions has the same name each time. */
function shownProblems({ runtime, failures, extensions }: CaseRun): string {
  const text = [...runtime.problems, ...failures].map((problem) => `${formatProblem(problem)}\n`).join('');
  return extensions ? text.replaceAll(extensions.directory, 'extensions') : text;
}

/** Writes the modules of sections `extension NAME` into a folder. */
function extensionsOf(sections: readonly Section[], config: Config | undefined): ExtensionPlace | undefined {
  const modules = sections.filter(({ title }) => title.startsWith('extension '));
  if (modules.length === 0) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'millrace-case-'));
  writeFiles(directory, Object.fromEntries(modules.map(({ title, text }) => [title.slice('extension '.length), text])));
  return { directory, classMap: config ? config.bag(millrace.classMap) : {} };
}

/** The configuration of a section `configuration`. */
function configOf(sections: readonly Section[]): Config | undefined {
  const text = sections.find(({ title }) => title === 'configuration')?.text;
  if (text === undefined) return undefined;
  return usableConfig(loadConfig({ text, file: 'deployment.toml', env: {} }));
}

function corsOf(sections: readonly Section[]): CorsSettings {
  const text = sections.find(({ title }) => title === 'cors')?.text.trim();
  return { enabled: true, allowOrigins: text === undefined ? [] : text.split(/\s+/), allowHeaders: 'X-Allowed' };
}
