import type { CorsSettings, PayloadValidation } from '#api';
import {
  connector,
  httpConnector,
  httpsConnector,
  mediation,
  millrace,
  passthruHttp,
  passthruHttpTransport,
  server,
  synapseProperties,
  transportPassthruHttps,
  type Config,
  type RuntimeValues,
} from '#config';
import type { MediationSettings } from '#mediation';
import { readMediation } from './mediation-settings.ts';
import type { Role } from './roles.ts';
import { readRuntimeValues } from './runtime-values.ts';

/** Where one listener listens. */
export interface ListenerSettings {
  readonly enabled: boolean;
  /** The first address; `hosts` has them all. */
  readonly host: string;
  readonly hosts: readonly string[];
  readonly port: number;
}

/** What the server reads from the configuration when it starts. */
export interface ServerSettings {
  readonly role: Role;
  readonly hostname: string;
  readonly offset: number;
  /** The part of it that `--offset` says, which also counts for ports of other files than `deployment.toml`. */
  readonly commandOffset: number;
  readonly apiHttp: ListenerSettings;
  readonly apiHttps: ListenerSettings;
  /** Probes and metrics over HTTP. */
  readonly probes: ListenerSettings;
  /** Management API over HTTPS; its host is decided by whether the administrator's password was set. */
  readonly management: ListenerSettings;
  /** OAuth, administrative APIs and portals. */
  readonly serverHttps: ListenerSettings;
  readonly serverHttp: ListenerSettings;
  readonly mediation: MediationSettings;
  readonly cors: CorsSettings;
  readonly validation: PayloadValidation;
  /** Values of `${…}` placeholders. */
  readonly runtime: RuntimeValues;
  /** Base address of the server as others see it; undefined when the file does not set it. */
  readonly publicUrl: string | undefined;
  /** Path that a proxy in front takes away, with a slash before it; empty where there is none. */
  readonly publicPath: string;
  /** False leaves the artifacts as they were at the start. */
  readonly watchesArtifacts: boolean;
  /** Milliseconds that a stop waits for what is in flight. */
  readonly drainTime: number;
}

/**
 * Reads the settings.
 *
 * @param offset added to every port on top of `server.offset`, as `--offset` says
 * @param isAdminSafe true when the administrator's password was set, so that administrative ports may be reachable
 * @throws MillraceError for a time zone or a regular expression that does not exist
 */
export function readSettings(config: Config, offset: number, isAdminSafe: boolean): ServerSettings {
  const bind = config.get(millrace.bind);
  const added = config.get(server.offset) + offset;
  const listener = (enabled: boolean, host: string, port: number): ListenerSettings => {
    const hosts = bind && bind.length > 0 ? bind : [host];
    return { enabled, host: hosts[0] ?? host, hosts, port };
  };
  // Without offset and port in the file the two stay where existing tools look: 9201 and 9164.
  const internalPort = (key: typeof mediation.internalHttpApiPort): number =>
    config.get(key) + (config.has(server.offset) || config.has(key) ? added : 10 + offset);
  const adminHost = isAdminSafe ? '0.0.0.0' : '127.0.0.1';
  const runtime = readRuntimeValues(config, added);
  const validation = {
    xml: config.get(passthruHttp.forceXmlMessageValidation),
    json: config.get(passthruHttp.forceJsonMessageValidation),
  };
  const mediationSettings = readMediation(config);
  return {
    role: config.get(server.serverRole),
    hostname: config.get(server.hostname),
    offset: added,
    commandOffset: offset,
    apiHttp: listener(
      config.get(passthruHttpTransport.listenerEnable),
      config.get(passthruHttpTransport.listenerBindAddress),
      config.get(passthruHttpTransport.listenerPort) + added,
    ),
    apiHttps: listener(
      config.get(transportPassthruHttps.listenerEnable),
      config.get(transportPassthruHttps.listenerParametersBindAddress),
      config.get(transportPassthruHttps.listenerParametersPort) + added,
    ),
    probes: listener(
      config.get(mediation.internalHttpApiEnable),
      '0.0.0.0',
      internalPort(mediation.internalHttpApiPort),
    ),
    management: listener(true, adminHost, internalPort(mediation.internalHttpsApiPort)),
    serverHttps: listener(true, adminHost, config.get(httpsConnector.port) + added),
    serverHttp: listener(true, adminHost, config.get(httpConnector.port) + added),
    mediation: mediationSettings,
    cors: readCors(config),
    validation: { ...validation, limit: mediationSettings.maxBodyBytes },
    runtime,
    publicUrl: readPublicUrl(config, runtime),
    publicPath: readPublicPath(config),
    watchesArtifacts: config.get(server.hotDeployment),
    drainTime: readDrainTime(config),
  };
}

/** What the file says others see: the base path, or the port of a proxy in front of the HTTPS connector. */
function readPublicUrl(config: Config, runtime: RuntimeValues): string | undefined {
  if (config.has(server.basePath)) {
    return config.resolveRuntime(config.get(server.basePath), runtime).replace(/\/+$/, '') + readPublicPath(config);
  }
  const port = config.named(connector, 'https').get(connector.proxyPort);
  return port === undefined ? undefined : `https://${config.get(server.hostname)}:${port}${readPublicPath(config)}`;
}

function readPublicPath(config: Config): string {
  const path = config.get(server.proxyContextPath).replaceAll(/^\/+|\/+$/g, '');
  return path === '' ? '' : `/${path}`;
}

function readCors(config: Config): CorsSettings {
  const properties = config.bag(synapseProperties);
  const prefix = 'synapse.rest.CORSConfig';
  return {
    enabled: properties[`${prefix}.enabled`] !== 'false',
    allowOrigins: listOf(properties[`${prefix}.Access-Control-Allow-Origin`]),
    allowHeaders: properties[`${prefix}.Access-Control-Allow-Headers`] ?? '',
  };
}

/** The listeners' own time wins over the server's. */
function readDrainTime(config: Config): number {
  if (!config.get(server.gracefulShutdownEnabled)) return 0;
  return (
    config.milliseconds(passthruHttp.transportListenerShutdownWaitSec) ||
    config.milliseconds(server.gracefulShutdownTimeout)
  );
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
