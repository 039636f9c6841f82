import type { CorsSettings } from '#api';
import {
  mediation,
  millrace,
  passthruHttp,
  passthruHttpTransport,
  server,
  synapseProperties,
  transportPassthruHttps,
  type Config,
} from '#config';
import type { MediationSettings } from '#mediation';
import type { Role } from './roles.ts';

/** Where one listener listens. */
export interface ListenerSettings {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
}

/** What the server reads from the configuration when it starts. */
export interface ServerSettings {
  readonly role: Role;
  readonly hostname: string;
  readonly offset: number;
  readonly apiHttp: ListenerSettings;
  readonly apiHttps: ListenerSettings;
  /** Probes and metrics over HTTP. */
  readonly probes: ListenerSettings;
  /** Management API over HTTPS; its host is decided by whether the administrator's password was set. */
  readonly management: ListenerSettings;
  readonly mediation: MediationSettings;
  readonly cors: CorsSettings;
  /** Milliseconds without traffic after which a connection is given up, on both sides. */
  readonly socketTimeout: number;
  readonly connectTimeout: number;
  readonly keepAlive: boolean;
  readonly maxConnectionsPerHost: number;
  readonly maxOpenConnections: number;
  /** Milliseconds that a stop waits for what is in flight. */
  readonly drainTime: number;
}

/** Most bytes of a body that is built in memory when the configuration sets no limit. */
const defaultBodyLimit = 64 * 1024 * 1024;

/**
 * Reads the settings.
 *
 * @param offset added to every port on top of `server.offset`, as `--offset` says
 * @param isAdminSafe true when the administrator's password was set, so that administrative ports may be reachable
 */
export function readSettings(config: Config, offset: number, isAdminSafe: boolean): ServerSettings {
  const bind = config.get(millrace.bind)?.[0];
  const added = config.get(server.offset) + offset;
  const internalHost = isAdminSafe ? '0.0.0.0' : '127.0.0.1';
  // Without offset and port in the file the two stay where existing tools look: 9201 and 9164.
  const internalOffset = added === 0 && !config.has(server.offset) ? 10 : added;
  const internalPort = (key: typeof mediation.internalHttpApiPort): number =>
    config.get(key) + (config.has(key) ? added : internalOffset === added ? added : 10 + offset);
  const properties = config.bag(synapseProperties);
  return {
    role: config.get(server.serverRole),
    hostname: config.get(server.hostname),
    offset: added,
    apiHttp: {
      enabled: config.get(passthruHttpTransport.listenerEnable),
      host: bind ?? config.get(passthruHttpTransport.listenerBindAddress) ?? '0.0.0.0',
      port: config.get(passthruHttpTransport.listenerPort) + added,
    },
    apiHttps: {
      enabled: config.get(transportPassthruHttps.listenerEnable),
      host: bind ?? config.get(transportPassthruHttps.listenerParametersBindAddress),
      port: config.get(transportPassthruHttps.listenerParametersPort) + added,
    },
    probes: {
      enabled: config.get(mediation.internalHttpApiEnable),
      host: bind ?? '0.0.0.0',
      port: internalPort(mediation.internalHttpApiPort),
    },
    management: { enabled: true, host: bind ?? internalHost, port: internalPort(mediation.internalHttpsApiPort) },
    mediation: readMediation(config),
    cors: {
      enabled: properties['synapse.rest.CORSConfig.enabled'] !== 'false',
      allowOrigins: listOf(properties['synapse.rest.CORSConfig.Access-Control-Allow-Origin']),
      allowHeaders: properties['synapse.rest.CORSConfig.Access-Control-Allow-Headers'] ?? '',
    },
    socketTimeout: config.milliseconds(passthruHttp.httpSocketTimeout),
    connectTimeout: config.milliseconds(passthruHttp.httpConnectionTimeout) ?? 10_000,
    keepAlive: !config.get(passthruHttp.httpConnectionDisableKeepalive),
    maxConnectionsPerHost: config.get(passthruHttp.httpMaxConnectionPerHostPort),
    maxOpenConnections: Math.max(0, config.get(passthruHttp.maxOpenConnections)),
    drainTime: config.milliseconds(passthruHttp.transportListenerShutdownWaitSec) || 30_000,
  };
}

function readMediation(config: Config): MediationSettings {
  const preserved = new Set((config.get(passthruHttp.httpHeadersPreserve) ?? []).map((name) => name.toLowerCase()));
  if (config.get(passthruHttp.httpUserAgentPreserve)) preserved.add('user-agent');
  if (config.get(passthruHttp.httpServerPreserve)) preserved.add('server');
  const properties = config.bag(synapseProperties);
  const isLimited = config.get(passthruHttp.messageSizeValidationEnabled);
  return {
    globalTimeout: config.milliseconds(mediation.synapseGlobalTimeoutInterval),
    maxBodyBytes: isLimited ? config.get(passthruHttp.validMaxMessageSizeInBytes) : defaultBodyLimit,
    preservedHeaders: preserved,
    suspendDuration: numberOf(properties['synapse.global_endpoint_suspend_duration'], 30_000),
    suspendFactor: numberOf(properties['synapse.global_endpoint_suspend_progression_factor'], 1),
  };
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function numberOf(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return text === undefined || Number.isNaN(value) ? fallback : value;
}
