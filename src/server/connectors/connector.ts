import { connector, httpConnector, httpsConnector, type Config } from '#config';
import { createWorkerPool, getLogger } from '#core';
import { isCharset } from '#core/java';
import { MillraceError } from '#errors';
import type { RequestHandler } from '#transport';
import type { ListenerRequest } from '../listen.ts';
import type { ServerSettings } from '../settings.ts';
import { readConnectorOptions } from '../transport-settings.ts';
import { withCompression, type CompressionSettings } from './compression.ts';
import { withConcurrency } from '../concurrency.ts';
import { createGate, type Gate } from './gate.ts';
import { withSecurity, type ConnectorSecurity } from './security.ts';
import { withStrictTarget, withUriEncoding } from './target.ts';

/** A port of the server, for OAuth, administrative APIs and portals, as `[transport.https.properties]` describes it. */
export interface Connector extends Gate {
  readonly listener: ListenerRequest;
}

type Scheme = 'http' | 'https';

/**
 * Reads a connector. Requests pass, in this order: concurrency, target, security, compression, and the gate.
 *
 * @throws MillraceError `MR_CONFIG_CHARSET` for a charset that nobody knows
 */
export function openConnector(config: Config, settings: ServerSettings, scheme: Scheme): Connector {
  const keys = scheme === 'https' ? httpsConnector : httpConnector;
  const gate = createGate(config.get(keys.bindOnInit));
  const usesTls = scheme === 'https' && config.get(httpsConnector.sslEnabled);
  const listener: ListenerRequest = {
    ...(scheme === 'https' ? settings.serverHttps : settings.serverHttp),
    name: scheme === 'https' ? 'Server HTTPS' : 'Server HTTP',
    scheme: usesTls ? 'https' : 'http',
    key: keys.port.path,
    tls: 'connector',
    options: (current) => readConnectorOptions(current, scheme),
  };
  return { listener, handle: layers(gate.handle, config, scheme), open: (handler) => gate.open(handler) };
}

function layers(handler: RequestHandler, config: Config, scheme: Scheme): RequestHandler {
  const keys = scheme === 'https' ? httpsConnector : httpConnector;
  const further = config.named(connector, scheme);
  const charset = config.get(keys.uriEncoding);
  if (!isCharset(charset)) {
    const message = `${keys.uriEncoding.path} must name a charset, found "${charset}"`;
    throw new MillraceError({ code: 'MR_CONFIG_CHARSET', message });
  }
  const relaxed = {
    path: further.get(connector.relaxedPathChars) ?? '',
    query: further.get(connector.relaxedQueryChars) ?? '',
  };
  const most = config.get(keys.maxThreads);
  const pool = createWorkerPool({
    core: most,
    max: most,
    queue: config.get(keys.acceptCount),
    expectedWait: 1000,
    log: getLogger('server'),
  });
  const compressing = withCompression(handler, readCompression(config, scheme));
  const secured = withSecurity(compressing, readSecurity(config, scheme));
  return withConcurrency(withStrictTarget(withUriEncoding(secured, charset), relaxed), pool);
}

function readSecurity(config: Config, scheme: Scheme): ConnectorSecurity {
  const further = config.named(connector, scheme);
  const isHttps = scheme === 'https';
  const secure = isHttps && config.get(httpsConnector.secure);
  const reported = isHttps ? config.get(httpsConnector.scheme) : 'http';
  return {
    scheme: reported === 'http' ? 'http' : 'https',
    secure,
    insecureCookies: isHttps && !secure,
    proxyPort: further.get(connector.proxyPort),
    redirectPort: further.has(connector.redirectPort) ? further.get(connector.redirectPort) : undefined,
  };
}

/** A number instead of `on` is the size from which bodies are compressed. */
function readCompression(config: Config, scheme: Scheme): CompressionSettings {
  const keys = scheme === 'https' ? httpsConnector : httpConnector;
  const written = config.get(keys.compression).trim().toLowerCase();
  const isSize = /^\d+$/.test(written);
  return {
    mode: written === 'off' || written === 'force' ? written : 'on',
    minSize: isSize ? Number(written) : config.get(keys.compressionMinSize),
    excludedAgents: config.get(keys.noCompressionUserAgents),
    mediaTypes: config.get(keys.compressibleMimeType),
  };
}
