import { createDeployer, type SourcePlaces } from '#artifacts';
import { millrace, type Config } from '#config';
import { getLogger, systemClock, type Home } from '#core';
import { createEventBus } from '#events';
import { createEndpointStates, type ConnectionSettings } from '#mediation';
import type { MessageFormats } from '#message';
import { artifactKinds } from './artifact-kinds.ts';
import { placesOf } from './artifact-places.ts';
import { openBackground } from './background.ts';
import { openBlockingSender } from './blocking-sender.ts';
import { builtInArtifacts } from './built-in.ts';
import type { ServerContext } from './context.ts';
import { createMediationDebugger } from './debugger/debugger.ts';
import { openExternalVault } from './external-vault.ts';
import { openFlowHandlers } from './flow-handlers.ts';
import { createInboundPorts } from './inbound-ports.ts';
import { createSenderOpener, openBranchPool } from './mediation-services.ts';
import { openSteering } from './observation.ts';
import { createOpenDatabases } from './open-databases.ts';
import { openRegistryHandlers } from './registry-handlers.ts';
import { openSender } from './sender.ts';
import { readServerIdentity } from './server-identity.ts';
import type { ServerSettings } from './settings.ts';
import { readFileProperties } from './start-config.ts';
import { applyTls, type ServerTls } from './tls.ts';
import { openWebSockets } from './web-sockets.ts';
import type { NodeState } from './workers/node-state.ts';

export interface MediationParts {
  readonly config: Config;
  readonly home: Home;
  readonly settings: ServerSettings;
  readonly formats: MessageFormats;
  /** Values of the secret store by their aliases. */
  readonly secret: (alias: string) => string | undefined;
  readonly system: Map<string, string>;
  readonly tls: ServerTls;
  readonly node: NodeState;
  readonly options: {
    /** The home's own folders when absent. */
    readonly places?: SourcePlaces;
    readonly environment: Readonly<Record<string, string | undefined>>;
  };
}

/** The deployed artifacts and everything that messages need on their way; ports are opened by the modules. */
export interface OpenMediation extends AsyncDisposable {
  readonly context: Pick<
    ServerContext,
    | 'deployer'
    | 'services'
    | 'sender'
    | 'webSockets'
    | 'steering'
    | 'registryHandlers'
    | 'inboundPorts'
    | 'openDatabases'
    | 'debugger'
    | 'setVaultSecretId'
  >;
}

/**
 * Opens senders, stores and handlers, and deploys what lies in the folders.
 *
 * @throws ProblemsError, MillraceError for settings and extensions that cannot be used
 */
export async function openMediation(parts: MediationParts): Promise<OpenMediation> {
  const { config, home, settings, formats, secret, system, tls, node, options } = parts;
  const clock = systemClock;
  const { sender, pooled } = openSender(config, tls);
  tls.onChange(() => void applyTls(() => pooled.setTls(tls.sender())));
  const blockingSender = openBlockingSender(config, tls);
  const opener = createSenderOpener(config, tls);
  const openDatabases = createOpenDatabases();
  const serverNames = [system.get('SynapseServerName'), settings.hostname].filter((name) => name !== undefined);
  const background = openBackground(config, home, { serverNames, openDatabases, ...node });
  const extensions = { directory: home.extensions, classMap: config.bag(millrace.classMap) };
  const flowHandlers = await openFlowHandlers(config, extensions, settings.mediation.maxBodyBytes);
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
    adviceFor: (artifact, isReached) => steering.observer.adviceFor(artifact, isReached),
    follows: (artifact) => steering.observer.follows(artifact),
    external: {
      environment: options.environment,
      system,
      file: readFileProperties(home),
      identity: readServerIdentity(settings.hostname),
      secret,
      vaultSecret: vault && ((address) => vault.read(address)),
    },
  });
  steering.rebuild = () => deployer.rebuild();
  steering.observer.captures.onTaken((id) => node.captureTook(id));
  return {
    context: {
      deployer,
      services,
      sender,
      webSockets,
      steering,
      registryHandlers,
      inboundPorts,
      openDatabases,
      debugger: mediationDebugger,
      setVaultSecretId: vault && ((secretId) => vault.setSecretId(secretId)),
    },
    async [Symbol.asyncDispose]() {
      steering[Symbol.dispose]();
      await deployer[Symbol.asyncDispose]();
      await flowHandlers[Symbol.asyncDispose]();
      await background[Symbol.asyncDispose]();
      const senders = [webSockets, sender, blockingSender, opener];
      await Promise.all(senders.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}
