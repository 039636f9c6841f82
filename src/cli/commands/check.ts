import { existsSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import process from 'node:process';
import { defineCommand } from 'citty';
import { findUnservedPorts } from '#api';
import { findInboundPorts } from '#inbound';
import { assembleSources, buildWorld, createArtifactReader, findPlaces, readSources } from '#artifacts';
import { createHome, getLogger, systemClock, type Home } from '#core';
import { loadConfig, millrace } from '#config';
import { formatProblem, MillraceError, ProblemsError, type Problem } from '#errors';
import { createEndpointStates, createMemoryBackground } from '#mediation';
import { readMessageFormats } from '#message';
import { artifactKinds, builtInArtifacts, checkNotices, readSettings } from '#server';
import { unusedSender } from '../unused-sender.ts';

/** `millrace check PATH…`: everything that is wrong, at once. */
export const checkCommand = defineCommand({
  meta: {
    name: 'check',
    description:
      'Report everything that is wrong in configuration and artifacts; exit 1 if anything is.\n\nExample: millrace check ./my-project conf/deployment.toml',
  },
  args: {
    path: { type: 'positional', description: 'Files and folders', required: true },
    json: { type: 'boolean', description: 'Print the findings as JSON' },
    strict: { type: 'boolean', description: 'Unknown configuration keys are errors' },
  },
  async run({ args }) {
    const problems: Problem[] = [];
    for (const path of args._) problems.push(...(await checkPath(resolve(path), args.strict === true)));
    const errors = problems.filter((problem) => problem.severity === 'error').length;
    if (args.json) console.log(JSON.stringify({ errors, warnings: problems.length - errors, problems }, undefined, 2));
    else {
      for (const problem of problems) console.log(formatProblem(problem));
      console.log(`${errors} errors, ${problems.length - errors} warnings`);
    }
    if (errors > 0) process.exitCode = 1;
  },
});

async function checkPath(path: string, strict: boolean): Promise<readonly Problem[]> {
  if (!existsSync(path)) {
    throw new MillraceError({ code: 'MR_CLI_PATH', message: `There is no file or folder ${path}` });
  }
  if (extname(path) === '.toml') return await checkConfig(path, strict);
  const configuration = ['conf/deployment.toml', 'repository/conf/deployment.toml', 'deployment/deployment.toml']
    .map((name) => join(path, name))
    .filter((file) => statSync(path).isDirectory() && existsSync(file));
  const found = await Promise.all(configuration.map((file) => checkConfig(file, strict)));
  const notices = await Promise.all(configuration.map((file) => checkNoticesOf(file)));
  const claims = await Promise.all(configuration.map((file) => checkClaimsOf(file)));
  return [...found.flat(), ...notices.flat(), ...claims.flat(), ...(await checkArtifacts(path, configuration[0]))];
}

async function checkConfig(file: string, strict: boolean): Promise<readonly Problem[]> {
  const { config, problems } = loadConfig({ file, env: process.env, strict });
  if (problems.some(({ severity }) => severity === 'error')) return problems;
  const home = createHome(homeDirectory(file));
  try {
    await readMessageFormats(config, home.extensions);
    return problems;
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return [...problems, ...error.problems];
  }
}

/** The file of claims beside a configuration. */
async function checkClaimsOf(file: string): Promise<readonly Problem[]> {
  const home = createHome(homeDirectory(file));
  if (!existsSync(join(home.conf, 'claim-config.xml'))) return [];
  // Most homes have none, and the authorization server takes long to load.
  const { readClaimFileOf } = await import('#identity');
  try {
    readClaimFileOf(home);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return error.problems;
  }
}

/** Publishers, templates and senders of the home around a configuration; what is wrong in the file is reported by itself. */
async function checkNoticesOf(file: string): Promise<readonly Problem[]> {
  const { config, problems } = loadConfig({ file, env: process.env });
  if (problems.some(({ severity }) => severity === 'error')) return [];
  return checkNotices(createHome(homeDirectory(file)), config);
}

async function checkArtifacts(path: string, configuration: string | undefined): Promise<readonly Problem[]> {
  // What is wrong in the configuration is reported by itself; here its ports and settings count as far as they go.
  const { config } = loadConfig(configuration === undefined ? { text: '' } : { file: configuration, env: process.env });
  const serverSettings = readSettings(config, 0, false);
  const services = {
    sender: unusedSender,
    clock: systemClock,
    log: getLogger('mediation'),
    endpointStates: createEndpointStates(),
    background: createMemoryBackground(systemClock, path),
    settings: serverSettings.mediation,
    extensions: { directory: homeOf(path, configuration).extensions, classMap: config.bag(millrace.classMap) },
  };
  const external = { environment: process.env, system: new Map(), file: new Map(), secret: () => undefined };
  const sources = assembleSources(await readSources(findPlaces(path)));
  const settings = { kinds: artifactKinds, services, external, builtIn: builtInArtifacts, registryCache: 0 };
  const { world, problems } = buildWorld(sources, settings, createArtifactReader(artifactKinds));
  const { apiHttp, apiHttps } = serverSettings;
  const ports = [apiHttp, apiHttps].filter(({ enabled }) => enabled).map(({ port }) => port);
  return [...problems, ...findUnservedPorts(world, [...ports, ...findInboundPorts(world)])];
}

/** The home around a configuration file. */
function homeDirectory(configuration: string): string {
  return dirname(configuration).replace(/[\\/](?:repository[\\/])?conf$/, '');
}

/** The home whose extensions the artifacts at a path use. */
function homeOf(path: string, configuration: string | undefined): Home {
  if (configuration !== undefined) return createHome(homeDirectory(configuration));
  return createHome(statSync(path).isDirectory() ? path : dirname(path));
}
