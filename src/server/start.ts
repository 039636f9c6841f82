import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDeployer, propertiesOf, type SourcePlaces } from '#artifacts';
import {
  createAuditTrail,
  createHealth,
  createHome,
  createMetrics,
  getLogger,
  observeProcess,
  startModules,
  systemClock,
  type Home,
  type Metrics,
} from '#core';
import { loadConfig, loadHomeConfig, mediation, millrace, systemParameter, usableConfig, type Config } from '#config';
import { formatProblem } from '#errors';
import { createEventBus } from '#events';
import type { ProcessControl } from '#management';
import { allowXPath2 } from '#expression';
import { createEndpointStates, type ConnectionSettings } from '#mediation';
import { readMessageFormats } from '#message';
import { openExternalVault } from './external-vault.ts';
import { adminSignIn } from './admin-sign-in.ts';
import { checkAdminExists, initialPasswordFile, openAdminAccount, type InitialPassword } from './admin-account.ts';
import { artifactKinds } from './artifact-kinds.ts';
import { openBackground } from './background.ts';
import { builtInArtifacts } from './built-in.ts';
import { openClientRevocation } from './client-revocation.ts';
import type { ServerAddress, ServerContext } from './context.ts';
import { createInboundPorts } from './inbound-ports.ts';
import { logAddresses } from './log-addresses.ts';
import { createMediationDebugger } from './debugger/debugger.ts';
import { modules, runtimeModules } from './modules/index.ts';
import { openSteering } from './observation.ts';
import { createOpenDatabases } from './open-databases.ts';
import type { Role } from './roles.ts';
import { openBlockingSender } from './blocking-sender.ts';
import { openFlowHandlers } from './flow-handlers.ts';
import { createReloader, type ReloadReport } from './reloader.ts';
import { openRegistryHandlers } from './registry-handlers.ts';
import { createSenderOpener, openBranchPool } from './mediation-services.ts';
import { openSender } from './sender.ts';
import { readSettings, type ServerSettings } from './settings.ts';
import { applyTls, openTls } from './tls.ts';
import { openWebSockets } from './web-sockets.ts';
import { createSingleNode, type NodeState } from './workers/node-state.ts';

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
  /** True for the modules that run artifacts, whatever the role has besides. */
  readonly runtimeOnly?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Properties of the process, as `-Dname=value` gives them; they win over `[system.parameter]`. */
  readonly systemProperties?: Readonly<Record<string, string>>;
  /** Asks for a password; absent where nobody can be asked. */
  readonly prompt?: (question: string) => Promise<string>;
  /** Ends the process or begins it anew, as the management API may ask for. */
  readonly control?: ProcessControl;
  /** What this process has in common with others; it is alone when absent. */
  readonly node?: NodeState;
}

export interface RunningServer {
  readonly addresses: readonly ServerAddress[];
  /** The password that this start made up, to be shown once; undefined when there was one already. */
  readonly initialPassword: InitialPassword | undefined;
  readonly initialPasswordFile: string;
  /** Milliseconds that a stop waits for what is in flight. */
  readonly drainTime: number;
  readonly metrics: Metrics;
  /** Looks for changed artifacts and deploys them. */
  deploy(): Promise<unknown>;
  /** Reads the configuration again and applies what can be applied. @throws ProblemsError for a faulty file */
  reload(): Promise<ReloadReport>;
  /** Counts a message that a capture took in another process of the node. */
  captureSpent(id: string): void;
  /** Readiness off, stop accepting, drain for at most `drainTime` or so many milliseconds, dispose. */
  stop(patience?: number): Promise<void>;
}

/**
 * Starts every module of the role: configuration, account, key store, artifacts, then the ports.
 *
 * @throws ProblemsError for a configuration that cannot be used, MillraceError for a module that does not start
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const began = performance.now();
  const home = createHome(options.home);
  const { config, secret } = await openConfig(home, options);
  const formats = await readMessageFormats(config, home.extensions);
  const clock = systemClock;
  const node = options.node ?? createSingleNode(clock);
  const metrics = createMetrics();
  const health = createHealth({ clock });
  const observed = observeProcess(metrics);
  const { account, initial } = await openAdminAccount(home, config);
  const settings = readSettings(config, options.offset ?? 0, account.passwordWasSet);
  allowXPath2(config.get(mediation.synapseEnableXpathDomFailover));
  const revocation = openClientRevocation(config);
  const tls = openTls(home, config, revocation.ofListener?.check);
  const reloader = createReloader(config, async () => (await openConfig(home, options)).config);
  reloader.onReload((next) => tls.use(next));
  const { sender, pooled } = openSender(config, tls);
  tls.onChange(() => void applyTls(() => pooled.setTls(tls.sender())));
  const blockingSender = openBlockingSender(config, tls);
  const opener = createSenderOpener(config, tls);
  const openDatabases = createOpenDatabases();
  const background = openBackground(config, home, { serverName: settings.hostname, openDatabases, ...node });
  const extensions = { directory: home.extensions, classMap: config.bag(millrace.classMap) };
  const flowHandlers = await openFlowHandlers(config, extensions, settings.mediation.maxBodyBytes);
  const system = systemPropertiesOf({ home, config, settings, options });
  const mediationDebugger =
    system.get('esb.debug') === 'true' ? createMediationDebugger(settings.mediation.maxBodyBytes) : undefined;
  const steering = openSteering(config, clock, settings.mediation.maxBodyBytes);
  const inboundPorts = createInboundPorts();
  const webSockets = openWebSockets({ config, home, tls }, () => deployer.current);
  const services = {
    background,
    webSockets,
    ports: inboundPorts,
    sender,
    blockingSender,
    openSender: (own: ConnectionSettings) => opener.open(own),
    branchPool: openBranchPool(config),
    clock,
    events: createEventBus(),
    log: getLogger('mediation'),
    settings: { ...settings.mediation, formats },
    extensions,
    handlers: flowHandlers.handlers,
    endpointStates: createEndpointStates(),
    switches: steering.switches,
    advice: mediationDebugger?.advice,
  };
  const vault = openExternalVault(config, sender);
  const registryHandlers = openRegistryHandlers(config, extensions);
  const deployer = await createDeployer(options.places ?? placesOf(home), {
    kinds: artifactKinds,
    services,
    builtIn: builtInArtifacts,
    registryCache: 15_000,
    registryHandlers,
    adviceFor: (artifact) => steering.observer.adviceFor(artifact),
    external: {
      environment: options.environment,
      system,
      file: readFileProperties(home),
      secret,
      vaultSecret: vault && ((address) => vault.read(address)),
    },
  });
  steering.rebuild = () => deployer.rebuild();
  steering.observer.captures.onTaken((id) => node.captureTook(id));
  const addresses: ServerAddress[] = [];
  const context: ServerContext = {
    home,
    config,
    settings,
    reloader,
    clock,
    metrics,
    health,
    auditTrail: createAuditTrail(),
    sender,
    webSockets,
    services,
    narratives: node.narratives,
    deployer,
    registryHandlers,
    debugger: mediationDebugger,
    node,
    steering,
    userDirectory: { current: undefined },
    control: options.control,
    setVaultSecretId: vault && ((secretId) => vault.setSecretId(secretId)),
    systemProperties: system,
    admin: account,
    signIn: adminSignIn(account),
    apiPaths: new Map(),
    serverApis: new Map(),
    authority: { current: undefined },
    openDatabases,
    inboundPorts,
    addresses,
    tls,
    revocation,
  };
  const role = options.role ?? settings.role;
  const ofRole = modules.filter((module) => module.roles.includes(role));
  const wanted = options.runtimeOnly ? ofRole.filter(({ name }) => runtimeModules.has(name)) : ofRole;
  const names = new Set(wanted.map((module) => module.name));
  if (!names.has('identity')) checkAdminExists(account);
  const needed = wanted.map((module) => ({ ...module, needs: module.needs.filter((name) => names.has(name)) }));
  const close = async (): Promise<void> => {
    tls[Symbol.dispose]();
    steering[Symbol.dispose]();
    await deployer[Symbol.asyncDispose]();
    await flowHandlers[Symbol.asyncDispose]();
    await background[Symbol.asyncDispose]();
    const senders = [webSockets, sender, blockingSender, opener, revocation];
    await Promise.all(senders.map((each) => each[Symbol.asyncDispose]()));
    observed[Symbol.dispose]();
  };
  const running = await orElse(close, () =>
    startModules(needed, context, { clock, onStopping: () => health.setPhase('stopping') }),
  );
  deployer.onDeployed(() => node.artifactsChanged());
  if (settings.watchesArtifacts && node.isFirst) deployer.watch();
  tls.watch();
  health.setPhase('ready');
  if (node.worker === undefined)
    logStart({ addresses, role, artifacts: deployer.current.artifacts.size, milliseconds: performance.now() - began });
  let stopped: Promise<void> | undefined;
  return {
    addresses,
    initialPassword: initial,
    initialPasswordFile: initialPasswordFile(home),
    drainTime: settings.drainTime,
    metrics,
    deploy: () => deployer.deploy(),
    reload: () => reloader.reload(),
    captureSpent: (id) => steering.observer.captures.spend(id),
    stop(patience = settings.drainTime) {
      stopped ??= (async () => {
        await running.stop(patience);
        await close();
        log.info({}, 'stopped');
      })();
      return stopped;
    },
  };
}

/** Does `work`, and cleans up when it fails. */
async function orElse<T>(cleanUp: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function openConfig(
  home: Home,
  options: ServerOptions,
): Promise<{ config: Config; secret: (alias: string) => string | undefined }> {
  const { environment: env } = options;
  const systemProperties = { 'carbon.home': home.directory, ...options.systemProperties };
  const loaded = existsSync(home.configuration)
    ? await loadHomeConfig({ home: home.directory, env, systemProperties, prompt: options.prompt })
    : { ...loadConfig({ text: '', file: home.configuration, env, systemProperties }), secret: () => undefined };
  for (const problem of loaded.problems)
    if (problem.severity === 'warning') log.warn({ code: problem.code }, formatProblem(problem));
  return { config: usableConfig(loaded), secret: loaded.secret };
}

/** What `get-property('system', …)` reads: facts of the server, the configuration's own, then the command line's. */
function systemPropertiesOf(parts: {
  home: Home;
  config: Config;
  settings: ServerSettings;
  options: ServerOptions;
}): Map<string, string> {
  const { home, config, settings, options } = parts;
  const facts = {
    'carbon.home': home.directory,
    // The name by which `pinnedServers` of proxy services know this server.
    SynapseServerName: settings.hostname,
    'carbon.local.ip': String(settings.runtime['carbon.local.ip']),
    'user.timezone': settings.mediation.timeZone ?? 'UTC',
  };
  const configured = Object.entries(config.bag(systemParameter)).map(([name, value]): [string, string] => [
    name,
    config.resolveRuntime(value, settings.runtime),
  ]);
  return new Map([...Object.entries(facts), ...configured, ...Object.entries(options.systemProperties ?? {})]);
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
  logAddresses(facts.addresses);
  const milliseconds = Math.round(facts.milliseconds);
  log.info({ role: facts.role, artifacts: facts.artifacts, milliseconds, pid: process.pid }, 'started');
}
