import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '#api';
import { coreKinds, createDeployer, propertiesOf, type SourcePlaces } from '#artifacts';
import {
  createHealth,
  createHome,
  createMetrics,
  getLogger,
  observeProcess,
  startModules,
  systemClock,
  type Home,
} from '#core';
import { loadConfig, loadHomeConfig, secrets, usableConfig, type Config } from '#config';
import { formatProblem } from '#errors';
import { createEndpointStates } from '#mediation';
import type { TlsMaterial } from '#keystore';
import { createHttpSender } from '#transport';
import { initialPasswordFile, openAdminAccount, type InitialPassword } from './admin-account.ts';
import { builtInArtifacts } from './built-in.ts';
import type { ServerAddress, ServerContext } from './context.ts';
import { modules } from './modules/index.ts';
import type { Role } from './roles.ts';
import { readSettings } from './settings.ts';
import { openListenerTls, openSenderTrust } from './tls.ts';

const log = getLogger('server');

export interface ServerOptions {
  /** Directory of the home; it is made when it does not exist. */
  readonly home: string;
  /** Where artifacts are; the home's own folders when absent. */
  readonly places?: SourcePlaces;
  /** Added to every port. */
  readonly offset?: number;
  /** Instead of `server.server_role`. */
  readonly role?: Role;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks for a password; absent where nobody can be asked. */
  readonly prompt?: (question: string) => Promise<string>;
}

export interface RunningServer {
  readonly addresses: readonly ServerAddress[];
  /** The password that this start made up, to be shown once; undefined when there was one already. */
  readonly initialPassword: InitialPassword | undefined;
  readonly initialPasswordFile: string;
  /** Readiness off, stop accepting, drain, dispose. */
  stop(): Promise<void>;
}

/**
 * Starts every module of the role: configuration, account, key store, artifacts, then the ports.
 *
 * @throws ProblemsError for a configuration that cannot be used, MillraceError for a module that does not start
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const began = performance.now();
  const home = createHome(options.home);
  const config = await openConfig(home, options);
  const clock = systemClock;
  const metrics = createMetrics();
  const health = createHealth({ clock });
  const observed = observeProcess(metrics);
  const { account, initial } = await openAdminAccount(home, config);
  const settings = readSettings(config, options.offset ?? 0, account.passwordWasSet);
  const secretValues = config.bag(secrets);
  const trusted = openSenderTrust(home, config);
  const sender = createHttpSender({
    connectionsPerOrigin: settings.maxConnectionsPerHost,
    keepAlive: settings.keepAlive,
    connectTimeout: settings.connectTimeout,
    idleTimeout: settings.socketTimeout,
    ...(trusted ? { tls: { ca: trusted } } : {}),
  });
  const services = {
    sender,
    clock,
    log: getLogger('mediation'),
    settings: settings.mediation,
    endpointStates: createEndpointStates(),
  };
  const deployer = await createDeployer(options.places ?? placesOf(home), {
    kinds: [...coreKinds, api],
    services,
    builtIn: builtInArtifacts,
    registryCache: 15_000,
    external: {
      environment: options.environment,
      system: new Map(),
      file: readFileProperties(home),
      secret: (alias) => secretValues[alias],
    },
  });
  let tls: Promise<TlsMaterial> | undefined;
  const addresses: ServerAddress[] = [];
  const context: ServerContext = {
    home,
    config,
    settings,
    clock,
    metrics,
    health,
    sender,
    services,
    deployer,
    admin: account,
    addresses,
    tls: () => (tls ??= openListenerTls(home, config)),
  };
  const role = options.role ?? settings.role;
  const wanted = modules.filter((module) => module.roles.includes(role));
  const names = new Set(wanted.map((module) => module.name));
  const needed = wanted.map((module) => ({ ...module, needs: module.needs.filter((name) => names.has(name)) }));
  const running = await startModules(needed, context, { clock, onStopping: () => health.setPhase('stopping') });
  deployer.watch();
  health.setPhase('ready');
  logStart({ addresses, role, artifacts: deployer.current.artifacts.size, milliseconds: performance.now() - began });
  return {
    addresses,
    initialPassword: initial,
    initialPasswordFile: initialPasswordFile(home),
    async stop() {
      await running.stop(settings.drainTime);
      await deployer[Symbol.asyncDispose]();
      await sender[Symbol.asyncDispose]();
      observed[Symbol.dispose]();
      log.info({}, 'stopped');
    },
  };
}

async function openConfig(home: Home, options: ServerOptions): Promise<Config> {
  const env = options.environment;
  const loaded = existsSync(home.configuration)
    ? await loadHomeConfig({ home: home.directory, env, prompt: options.prompt })
    : loadConfig({ text: '', file: home.configuration, env });
  for (const problem of loaded.problems)
    if (problem.severity === 'warning') log.warn({ code: problem.code }, formatProblem(problem));
  return usableConfig(loaded);
}

function placesOf(home: Home): SourcePlaces {
  for (const folder of [home.artifacts, home.carbonapps]) mkdirSync(folder, { recursive: true });
  const root = (name: string, mount: string): { mount: string; directory: string } => ({
    mount,
    directory: join(home.registry, name),
  });
  return {
    directories: [home.artifacts],
    files: [],
    applications: [home.carbonapps],
    roots: [
      root('governance', '/_system/governance'),
      root('config', '/_system/config'),
      root('local', '/_system/local'),
    ],
  };
}

/** `conf/file.properties`, which `get-property('file', …)` and configurable values read. */
function readFileProperties(home: Home): ReadonlyMap<string, string> {
  const file = join(home.conf, 'file.properties');
  return existsSync(file) ? propertiesOf(readFileSync(file, 'utf8')) : new Map();
}

function logStart(facts: {
  addresses: readonly ServerAddress[];
  role: string;
  artifacts: number;
  milliseconds: number;
}): void {
  for (const { name, url, isPublic } of facts.addresses) {
    log.info({ url, reachable: isPublic ? 'from everywhere' : 'from this machine only' }, `${name} is open`);
  }
  const milliseconds = Math.round(facts.milliseconds);
  log.info({ role: facts.role, artifacts: facts.artifacts, milliseconds, pid: process.pid }, 'started');
}
