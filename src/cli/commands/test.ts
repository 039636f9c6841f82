import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import process from 'node:process';
import { defineCommand } from 'citty';
import { createHome, configureLog, getLogger, systemClock } from '#core';
import { loadConfig, millrace } from '#config';
import { createEndpointStates, createMemoryBackground } from '#mediation';
import { artifactKinds, builtInArtifacts, readSettings } from '#server';
import {
  findSuites,
  isSuitePassed,
  junitOf,
  readSuite,
  runSuite,
  tableOf,
  type SuiteHost,
  type SuiteResult,
} from '#unit-test';
import { unusedSender } from '../unused-sender.ts';

/** Exit codes: something failed, or there was nothing to run. */
const exitCodes = { failed: 1, usage: 2 };

/** `millrace test PATH`: unit-test suites written for the original runtime, in process. */
export const testCommand = defineCommand({
  meta: {
    name: 'test',
    description:
      'Run the unit-test suites at a path: a suite, or a folder with any number of them. Exit 1 if anything fails, 2 if there is none.\n\nExample: millrace test ./my-project --junit target/results.xml',
  },
  args: {
    path: { type: 'positional', description: 'Suite or folder', required: true },
    junit: { type: 'string', description: 'Also write the results as JUnit XML into this file' },
    json: { type: 'boolean', description: 'Print the results as JSON' },
    'log-level': { type: 'string', description: 'trace, debug, info, warn, error or silent (the default)' },
  },
  async run({ args }) {
    const path = resolve(args.path);
    const files = existsSync(path) ? findSuites(path) : [];
    if (files.length === 0) {
      console.error(existsSync(path) ? `There is no suite in ${path}` : `There is no file or folder ${path}`);
      process.exitCode = exitCodes.usage;
      return;
    }
    setUpTestLog(args['log-level']);
    const results: SuiteResult[] = [];
    for (const file of files) results.push(await runFile(file));
    if (args.junit !== undefined) writeFileSync(args.junit, fromHere(junitOf(results)));
    console.log(fromHere(args.json ? JSON.stringify(results, undefined, 2) : tableOf(results)));
    if (!results.every(isSuitePassed)) process.exitCode = exitCodes.failed;
  },
});

async function runFile(file: string): Promise<SuiteResult> {
  const { suite, problems } = readSuite(readFileSync(file, 'utf8'), file);
  if (!suite) return { file, ran: false, problems, cases: [], coverage: [] };
  const result = await runSuite(suite, createSuiteHost(file));
  return { ...result, problems: [...problems, ...result.problems] };
}

/** A server as it is without configuration; each suite has one of its own, so that none sees what another left. */
function createSuiteHost(suite: string): SuiteHost {
  const { config } = loadConfig({ text: '' });
  const settings = readSettings(config, 0, false);
  const directory = projectOf(suite);
  const services = {
    sender: unusedSender,
    clock: systemClock,
    log: getLogger('mediation'),
    endpointStates: createEndpointStates(),
    background: createMemoryBackground(systemClock, directory),
    settings: settings.mediation,
    extensions: { directory: createHome(directory).extensions, classMap: config.bag(millrace.classMap) },
  };
  const external = { environment: process.env, system: new Map(), file: new Map(), secret: () => undefined };
  return {
    worldSettings: { kinds: artifactKinds, services, external, builtIn: builtInArtifacts, registryCache: 0 },
    cors: settings.cors,
  };
}

/** The folder of the project that a suite belongs to: the nearest one that has sources or extensions. */
function projectOf(suite: string): string {
  for (let folder = resolve(suite, '..'); ; folder = resolve(folder, '..')) {
    if (existsSync(join(folder, 'src/main')) || existsSync(join(folder, 'extensions'))) return folder;
    if (folder === resolve(folder, '..')) return resolve(suite, '..');
  }
}

/** Paths as somebody reads them who stands in the current folder. */
function fromHere(text: string): string {
  return text.replaceAll(`${process.cwd()}${sep}`, '');
}

/** What artifacts log is not what somebody reads who runs tests, unless asked for. */
function setUpTestLog(level: string | undefined): void {
  const known = (['trace', 'debug', 'info', 'warn', 'error'] as const).find((name) => name === level);
  configureLog({ level: known ?? 'silent', format: process.stdout.isTTY ? 'pretty' : 'json' });
}
