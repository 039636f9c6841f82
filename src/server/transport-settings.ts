import {
  httpConnector,
  httpsConnector,
  passthruHttp,
  passthruHttpTransport,
  transportPassthruHttps,
  type Config,
} from '#config';
import type { HttpListenerOptions, HttpSenderOptions } from '#transport';

/** Milliseconds by which a sender gives up earlier than a listener, unless the file says otherwise (runtime-core 7.1). */
const defaultGrace = 10_000;
const defaultConnectTimeout = 10_000;

/** Options of a listener besides its place and its key material. */
export type ListenerOptions = Omit<HttpListenerOptions, 'host' | 'port' | 'tls'>;

/** What every listener of the server has in common. */
export function readListenerOptions(config: Config): ListenerOptions {
  const keepsConnections = config.get(passthruHttp.consumeAndDiscard);
  const bufferSize = config.get(passthruHttp.ioBufferSize);
  return {
    keepAlive: !config.get(passthruHttp.httpConnectionDisableKeepalive),
    // Node's own size is better than the documented default, which is that of a Java buffer.
    ...(config.has(passthruHttp.ioBufferSize) && bufferSize !== undefined ? { bufferSize } : {}),
    limits: {
      idleTimeout: config.milliseconds(passthruHttp.httpSocketTimeout),
      maxConnections: Math.max(0, config.get(passthruHttp.maxOpenConnections)),
      ...(keepsConnections ? {} : { maxUnreadBytes: 0 }),
    },
  };
}

/** What the API listener of a scheme has besides. */
export function readApiListenerOptions(config: Config, scheme: 'http' | 'https'): ListenerOptions {
  const common = readListenerOptions(config);
  const isSecure = scheme === 'https';
  const name = config.get(
    isSecure ? transportPassthruHttps.listenerOriginServer : passthruHttpTransport.listenerOriginServer,
  );
  const timeout = isSecure ? config.milliseconds(transportPassthruHttps.listenerRequestTimeout) : undefined;
  const noDelay = isSecure ? config.get(transportPassthruHttps.listenerRequestTcpNoDelay) : undefined;
  return {
    ...common,
    ...(name === undefined ? {} : { serverHeader: name }),
    ...(noDelay === undefined ? {} : { noDelay }),
    limits: { ...common.limits, ...(timeout === undefined ? {} : { requestTimeout: timeout }) },
  };
}

/** What a port of the server has besides: OAuth, administrative APIs and portals. */
export function readConnectorOptions(config: Config, scheme: 'http' | 'https'): ListenerOptions {
  const common = readListenerOptions(config);
  const keys = scheme === 'https' ? httpsConnector : httpConnector;
  const name = config.get(keys.server);
  const idle = config.milliseconds(keys.keepAliveTimeout);
  return {
    ...common,
    ...(name === undefined || name === '' ? {} : { serverHeader: name }),
    limits: {
      ...common.limits,
      maxHeaderBytes: config.get(keys.maxHttpHeaderSize),
      maxRequests: Math.max(0, config.get(keys.maxKeepAliveRequests)),
      keepAliveTimeout: idle < 0 ? Number.POSITIVE_INFINITY : idle,
      // A time for the body as a whole; without it a body may take as long as it keeps coming.
      ...(config.get(keys.disableUploadTimeout)
        ? {}
        : { bodyTimeout: config.milliseconds(keys.connectionUploadTimeout), minBodyRate: Number.POSITIVE_INFINITY }),
    },
  };
}

/** How requests go to back ends. */
export function readSenderOptions(config: Config): HttpSenderOptions {
  const socketTimeout = config.milliseconds(passthruHttp.httpSocketTimeout);
  const grace = config.milliseconds(passthruHttp.transportSenderConnectionGraceTime) ?? defaultGrace;
  const idle = config.milliseconds(passthruHttp.transportSenderConnectionIdleTime);
  const lifespan = config.milliseconds(passthruHttp.transportSenderConnectionMaximumLifespan);
  const queue = config.get(passthruHttp.httpMaxMessagesPerHostPort);
  return {
    connectionsPerOrigin: config.get(passthruHttp.httpMaxConnectionPerHostPort),
    keepAlive: !config.get(passthruHttp.httpConnectionDisableKeepalive),
    connectTimeout: config.milliseconds(passthruHttp.httpConnectionTimeout) ?? defaultConnectTimeout,
    idleTimeout: socketTimeout > grace ? socketTimeout - grace : socketTimeout,
    ...(queue === undefined ? {} : { queueLimit: queue }),
    ...(idle === undefined ? {} : { keepAliveTimeout: idle }),
    ...(lifespan === undefined ? {} : { connectionLifespan: lifespan }),
  };
}
