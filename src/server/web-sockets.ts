import {
  millrace,
  passthruHttp,
  securityFileOf,
  transportWs,
  transportWss,
  webSocketTransport,
  type Config,
} from '#config';
import { createWebSocketSender, type WebSocketSchemeSettings, type WebSocketSender } from '#mediation';
import type { Home } from '#core';
import { readKeyStoreFile, tlsOptions } from '#keystore';
import { defaultWebSocketLimits, type SenderTls, type WebSocketLimits } from '#transport';
import type { Deployer } from '#artifacts';
import { readWebSocketProxies } from './proxies.ts';
import { applyTls, type ServerTls } from './tls.ts';

/** Opens the sender for `ws://` and `wss://` addresses; its frames are mediated in the current world. */
export function openWebSockets(
  { config, home, tls }: { config: Config; home: Home; tls: ServerTls },
  world: () => Deployer['current'],
): WebSocketSender {
  return createWebSocketSender({
    settings: { limits: readLimits(config), schemes: { ws: readPlain(config), wss: readSecure(config, home, tls) } },
    world,
  });
}

/** Limits of every WebSocket, to clients and to back ends. */
export function readLimits(config: Config): WebSocketLimits {
  return {
    ...defaultWebSocketLimits,
    maxPayloadBytes: config.get(millrace.webSocketMaxPayload),
    pingInterval: config.milliseconds(millrace.webSocketPingInterval),
    idleTimeout: config.milliseconds(millrace.webSocketIdleTimeout),
    connectTimeout: config.milliseconds(passthruHttp.httpConnectionTimeout) ?? defaultWebSocketLimits.connectTimeout,
  };
}

function readPlain(config: Config): WebSocketSchemeSettings {
  return {
    isEnabled: config.get(transportWs.senderEnable),
    outflow: config.get(transportWs.senderParametersWsOutflowDispatchSequence),
    outflowFault: config.get(transportWs.senderParametersWsOutflowDispatchFaultSequence),
    parameters: config.bag(transportWs.senderParameterByName),
    tls: {},
    proxy: readWebSocketProxies(config, 'ws'),
  };
}

function readSecure(config: Config, home: Home, tls: ServerTls): WebSocketSchemeSettings {
  const isEnabled = config.get(transportWss.senderEnable);
  let material = isEnabled ? readTls(config, home, tls) : {};
  if (isEnabled) tls.onChange(() => void applyTls(() => void (material = readTls(config, home, tls))));
  return {
    isEnabled,
    outflow: config.get(transportWss.senderParametersWsOutflowDispatchSequence),
    outflowFault: config.get(transportWss.senderParametersWsOutflowDispatchFaultSequence),
    parameters: config.bag(transportWss.senderParameterByName),
    // Of the connections that are opened from now on.
    get tls() {
      return material;
    },
    proxy: readWebSocketProxies(config, 'wss'),
  };
}

/** The key material of the sender for HTTPS, with a trust store of its own where the file names one. */
function readTls(config: Config, home: Home, tls: ServerTls): SenderTls {
  const location = config.get(transportWss.senderTrustStoreLocation);
  const password = config.get(transportWss.senderTrustStorePassword);
  const own =
    config.has(transportWss.senderTrustStoreLocation) && location !== undefined && password !== undefined
      ? tlsOptions({ trustStore: readKeyStoreFile({ file: securityFileOf(home.directory, location), password }) })
      : {};
  const checksName = config
    .named(webSocketTransport, 'wss')
    .get(webSocketTransport.senderParametersWsClientEnableHostnameVerification);
  return { ...tls.sender(), ...own, ...(checksName ? {} : { verifier: 'allow-all' }) };
}
