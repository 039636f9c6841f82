import type { SourcePlaces } from '#artifacts';
import { mediation } from '#config';
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
  type LogFiles,
  type Metrics,
  type ModuleDefinition,
} from '#core';
import { allowXPath2 } from '#expression';
import type { ProcessControl } from '#management';
import { readMessageFormats } from '#message';
import { checkAdminExists, initialPasswordFile, openAdminAccount, type InitialPassword } from './admin-account.ts';
import { adminSignIn } from './admin-sign-in.ts';
import { openClientRevocation } from './client-revocation.ts';
import type { ServerAddress, ServerContext } from './context.ts';
import { logAddresses } from './log-addresses.ts';
import { modules, runtimeModules } from './modules/index.ts';
import { beginLogFiles, openLogFiles } from './log-files.ts';
import { openMediation } from './open-mediation.ts';
import { createReloader, type ReloadReport } from './reloader.ts';
import type { Role } from './roles.ts';
import { readSettings } from './settings.ts';
import { openConfig, systemPropertiesOf, type ConfigOptions } from './start-config.ts';
import { openTls } from './tls.ts';
import { createSingleNode, type NodeState } from './workers/node-state.ts';

const log = getLogger('server');

export interface ServerOptions extends ConfigOptions {
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
  /** True for log files in the home, unless the configuration is against them. */
  readonly logFiles?: boolean;
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

interface StartParts {
  readonly options: ServerOptions;
  readonly home: Home;
  readonly node: NodeState;
  readonly held: LogFiles | undefined;
  /** When the start began. */
  readonly began: number;
}

/**
 * Starts every module of the role: configuration, account, key store, artifacts, then the ports.
 *
 * @throws ProblemsError for a configuration that cannot be used, MillraceError for a module that does not start
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const began = performance.now();
  const home = createHome(options.home);
  const node = options.node ?? createSingleNode(systemClock);
  const held = options.logFiles === true ? openLogFiles(home, node.worker === undefined) : undefined;
  return orElse(
    async () => held?.[Symbol.asyncDispose](),
    () => startWithLog({ options, home, node, held, began }),
  );
}

async function startWithLog({ options, home, node, held, began }: StartParts): Promise<RunningServer> {
  const { config, secret } = await openConfig(home, options);
  const logFiles = await beginLogFiles(held, config);
  const formats = await readMessageFormats(config, home.extensions);
  const clock = systemClock;
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
  const system = systemPropertiesOf({ home, config, settings, options });
  const mediating = await openMediation({ config, home, settings, formats, secret, system, tls, node, options });
  const { deployer, steering } = mediating.context;
  const addresses: ServerAddress[] = [];
  const context: ServerContext = {
    home,
    config,
    settings,
    reloader,
    clock,
    metrics,
    health,
    auditTrail: createAuditTrail(logFiles?.audit),
    auditFile: logFiles?.audit,
    ...mediating.context,
    narratives: node.narratives,
    node,
    userDirectory: { current: undefined },
    control: options.control,
    systemProperties: system,
    admin: account,
    signIn: adminSignIn(account),
    apiPaths: new Map(),
    serverApis: new Map(),
    authority: { current: undefined },
    addresses,
    tls,
    revocation,
  };
  const role = options.role ?? settings.role;
  const needed = modulesOf(role, options.runtimeOnly === true);
  if (!needed.some(({ name }) => name === 'identity')) checkAdminExists(account);
  const close = async (): Promise<void> => {
    tls[Symbol.dispose]();
    await mediating[Symbol.asyncDispose]();
    await revocation[Symbol.asyncDispose]();
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
        try {
          await running.stop(patience);
          await close();
          log.info({}, 'stopped');
        } finally {
          await logFiles?.[Symbol.asyncDispose]();
        }
      })();
      return stopped;
    },
  };
}

/** The modules of a role, each with those of its needs that the role has. */
function modulesOf(role: Role, runtimeOnly: boolean): readonly ModuleDefinition<ServerContext>[] {
  const ofRole = modules.filter((module) => module.roles.includes(role));
  const wanted = runtimeOnly ? ofRole.filter(({ name }) => runtimeModules.has(name)) : ofRole;
  const names = new Set(wanted.map((module) => module.name));
  return wanted.map((module) => ({ ...module, needs: module.needs.filter((name) => names.has(name)) }));
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
