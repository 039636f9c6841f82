import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { defineCommand } from 'citty';
import { dashboardServerConfig, loadConfig } from '#config';
import { createHome, type Home } from '#core';
import { MillraceError } from '#errors';
import type * as sampleBackend from '../../../samples/quickstart/backend.ts';
import { installation } from '../installation.ts';
import { offsetOf } from '../options.ts';
import { serve, setUpLog, type ServedServer } from '../serve.ts';

const sample = join(installation, 'samples/quickstart');

const configuration = `# The home of the quickstart. What can be written here: docs/reference/configuration.md
[server]
hostname = "localhost"

# What the dashboard shows of traffic: counts and times of every mediator.
[mediation]
flow.statistics.enable = true
flow.statistics.capture_all = true
`;

const dashboardConfiguration = `# The dashboard of the quickstart
[server_config]
port = 9743
`;

/** `millrace quickstart`: a home with the sample project, the sample's back end and the server, in one process. */
export const quickstartCommand = defineCommand({
  meta: {
    name: 'quickstart',
    description:
      'Prepare a home with a sample project and start it with its back end.\n\nExample: millrace quickstart --offset 10',
  },
  args: {
    home: { type: 'string', description: 'Home directory (MILLRACE_HOME, else .home of the installation)' },
    offset: { type: 'string', description: 'Number that is added to every port of the server and of its dashboard' },
    'log-level': { type: 'string', description: 'trace, debug, info, warn, error or silent' },
  },
  async run({ args }) {
    setUpLog(args['log-level']);
    const offset = offsetOf(args.offset);
    const home = createHome(resolve(args.home ?? process.env['MILLRACE_HOME'] ?? join(installation, '.home')));
    const backend = await startSampleBackend();
    try {
      prepareHome(home, backend.port);
      await serve({ home: home.directory, offset, environment: process.env, logFiles: true }, (server) => {
        console.log(describeStart(server, home, { offset, backendPort: backend.port }));
      });
    } finally {
      await backend.close();
    }
  },
});

/** Loaded by its path, because the sample stays a readable file in a release. */
async function startSampleBackend(): Promise<sampleBackend.Backend> {
  const url = pathToFileURL(join(sample, 'backend.ts')).href;
  const { startBackend, backendPort } = (await import(url)) as typeof sampleBackend;
  try {
    return await startBackend(backendPort());
  } catch (error) {
    throw new MillraceError({
      code: 'MR_PORT_UNAVAILABLE',
      message: `The sample back end cannot open port ${backendPort()}; choose another one by QUICKSTART_BACKEND_PORT`,
      cause: error,
    });
  }
}

/** Makes what is missing in the home: a configuration, and the sample's artifacts when there are none at all. */
function prepareHome(home: Home, backendPort: number): void {
  if (!existsSync(home.configuration)) {
    mkdirSync(home.conf, { recursive: true });
    writeFileSync(home.configuration, configuration);
  }
  const dashboard = dashboardFileOf(home);
  if (!existsSync(dashboard)) writeFileSync(dashboard, dashboardConfiguration);
  if (existsSync(home.artifacts)) return;
  cpSync(join(sample, 'src/main/wso2mi/artifacts'), home.artifacts, { recursive: true });
  for (const name of globSync('endpoints/*.xml', { cwd: home.artifacts })) {
    const file = join(home.artifacts, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('127.0.0.1:9700', `127.0.0.1:${backendPort}`));
  }
}

function dashboardFileOf(home: Home): string {
  return join(home.conf, 'dashboard.toml');
}

/** Where the dashboard opens a moment after the start; what is wrong in its file is logged then. */
function dashboardAddress(home: Home, offset: number): string {
  const { config } = loadConfig({ file: dashboardFileOf(home), catalog: 'dashboard', env: process.env });
  return `https://localhost:${config.get(dashboardServerConfig.port) + offset}`;
}

function describeStart(
  server: ServedServer,
  home: Home,
  { offset, backendPort }: { readonly offset: number; readonly backendPort: number },
): string {
  const api = server.addresses.find(({ url }) => url.startsWith('http:'))?.url ?? 'http://localhost:8280';
  const rows = [
    ...server.addresses.map(({ name, url }): readonly [string, string] => [name, url]),
    ['Dashboard', `${dashboardAddress(home, offset)} (sign in with the first password)`],
    ['Sample back end', `http://127.0.0.1:${backendPort}`],
    ['Artifacts', `${home.artifacts} (a change is live at once)`],
    ['Configuration', home.configuration],
    ['First password', describePassword(server)],
  ] as const;
  const table = rows.map(([name, value]) => `  ${name.padEnd(20)}${value}`).join('\n');
  const requests = ['/order/1001', '/dictionary/m/millrace'].map((path) => `  curl ${api}${path}`).join('\n');
  return `\nMillrace is running the quickstart.\n\n${table}\n\nTry:\n\n${requests}\n\nCtrl+C stops it.\n`;
}

function describePassword({ initialPassword, initialPasswordFile }: ServedServer): string {
  if (existsSync(initialPasswordFile)) return `in ${initialPasswordFile}`;
  return initialPassword ? 'shown above, once' : 'was shown at the first start of this home';
}
