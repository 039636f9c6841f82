import {
  connector,
  passthruHttpTransport,
  server,
  superAdmin,
  httpConnector,
  httpsConnector,
  transportPassthruHttps,
  type Config,
  type RuntimeValues,
} from '#config';

/**
 * The values of `${carbon.host}` and its relatives in the configuration (config-catalog 4.3).
 *
 * @param offset what is added to every port
 */
export function readRuntimeValues(config: Config, offset: number): RuntimeValues {
  // Behind a proxy its port is the one that others know.
  const seen = (scheme: 'http' | 'https', own: number): number =>
    config.named(connector, scheme).get(connector.proxyPort) ?? own;
  const httpsPort = seen('https', config.get(httpsConnector.port) + offset);
  const password = config.readable(superAdmin.password);
  return {
    'carbon.protocol': 'https',
    'carbon.host': config.get(server.hostname),
    'carbon.local.ip': config.get(server.nodeIp),
    'carbon.management.port': httpsPort,
    'carbon.context': '/',
    'mgt.transport.https.port': httpsPort,
    'mgt.transport.http.port': seen('http', config.get(httpConnector.port) + offset),
    'https.nio.port': config.get(transportPassthruHttps.listenerParametersPort) + offset,
    'http.nio.port': config.get(passthruHttpTransport.listenerPort) + offset,
    'jms.port': 5672 + offset,
    'receiver.url.port': 9611 + offset,
    'auth.url.port': 9711 + offset,
    'admin.username': config.get(superAdmin.username) ?? 'admin',
    ...(password === undefined ? {} : { 'admin.password': password }),
  };
}
