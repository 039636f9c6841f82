import { defineSection, key } from './define.ts';
import { boolean, className, duration, hostList, integer, list, oneOf, port, secret, text } from './types.ts';

/** The plain HTTP half of the transport; the documents show its keys only for HTTPS. */
export const passthruHttpTransport = defineSection({
  path: 'transport.passthru_http',
  doc: 'The HTTP listener and sender of APIs and proxies.',
  keys: {
    listenerEnable: key('listener.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Listener switch.',
      effect: 'false opens no HTTP port for APIs.',
    }),
    listenerPort: key('listener.parameters.port', port(), {
      default: 8280,
      additional: true,
      doc: 'Listen port.',
      effect: 'port of the HTTP listener; server.offset is added.',
    }),
    listenerBindAddress: key('listener.parameters.bind-address', text(), {
      default: '0.0.0.0',
      additional: true,
      aliases: ['listener.bind-address'],
      doc: 'Address to listen on.',
      effect: 'host argument of listen().',
    }),
    listenerNonBlocking: key('listener.parameters.non-blocking', boolean(), {
      default: true,
      additional: true,
      doc: 'Non-blocking I/O.',
      inert: 'always non-blocking.',
    }),
    listenerHttpGetProcessor: key('listener.parameters.httpGetProcessor', className(), {
      additional: true,
      doc: 'Answers GET requests that no artifact claims.',
      mapped: 'known class names select the built-in one.',
    }),
    listenerWsdlPrefix: key('listener.parameters.WSDLEPRPrefix', text(), {
      additional: true,
      doc: 'Address prefix in WSDL documents.',
      effect: 'replaces scheme, host and port of generated addresses.',
    }),
    listenerHostname: key('listener.hostname', text(), {
      additional: true,
      doc: 'Host name of the listener.',
      effect: 'host of generated addresses.',
    }),
    listenerOriginServer: key('listener.origin_server', text(), {
      reload: true,
      additional: true,
      doc: 'Server header.',
      effect: 'value of the Server response header.',
    }),
    senderEnable: key('sender.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Sender switch.',
      effect: 'false refuses calls to http addresses.',
    }),
    senderWarnOnHttp500: key('sender.warnOnHTTP500', list(), {
      additional: true,
      doc: 'Media types for which a 500 of the back end is logged.',
      effect: 'a warning in the log; * means all.',
    }),
    senderProxyHost: key('sender.http.proxyHost', text(), {
      additional: true,
      aliases: ['sender.parameters.http.proxyHost'],
      doc: 'Proxy host.',
      effect: 'proxy of plain HTTP calls.',
    }),
    senderProxyPort: key('sender.http.proxyPort', port(), {
      additional: true,
      aliases: ['sender.parameters.http.proxyPort'],
      doc: 'Proxy port.',
      effect: 'proxy port; 80 when only the host is set.',
    }),
    senderNonProxyHosts: key('sender.http.nonProxyHosts', hostList(), {
      additional: true,
      aliases: ['sender.parameters.http.nonProxyHosts'],
      doc: 'Direct hosts.',
      effect: 'hosts that are called without the proxy.',
    }),
    senderProxyUsername: key('sender.parameters.http.proxy.username', secret(), {
      additional: true,
      doc: 'Proxy user.',
      effect: 'Proxy-Authorization.',
    }),
    senderProxyPassword: key('sender.parameters.http.proxy.password', secret(), {
      additional: true,
      doc: 'Proxy password.',
      effect: 'Proxy-Authorization.',
    }),
  },
});

export const blockingHttpTransport = defineSection({
  path: 'transport.blocking_http',
  doc: 'The HTTP client of blocking calls.',
  keys: {
    senderEnable: key('sender.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Sender switch.',
      effect: 'false refuses blocking calls to http addresses.',
    }),
    cacheHttpClient: key('sender.parameters.cacheHttpClient', boolean(), {
      default: true,
      additional: true,
      aliases: ['transport.blocking_sender.enable_client_caching'],
      doc: 'Keeps connections.',
      effect: 'false opens a connection for each call.',
    }),
    transferEncoding: key('sender.parameters.Transfer-Encoding', oneOf('chunked', 'true'), {
      default: 'chunked',
      additional: true,
      aliases: ['transport.blocking_sender.transfer_encoding'],
      doc: 'Transfer encoding.',
      effect: 'chunked requests, or a Content-Length.',
    }),
    maxConnectionsPerHost: key('sender.parameters.defaultMaxConnectionsPerHost', integer({ min: 0 }), {
      default: 200,
      additional: true,
      aliases: ['transport.blocking_sender.default_connections_per_host'],
      doc: 'Connections per host.',
      effect: 'limit of the pool of blocking calls.',
    }),
    omitSoap12Action: key('sender.parameters.OmitSOAP12Action', boolean(), {
      additional: true,
      aliases: ['transport.blocking_sender.omit_soap12_action'],
      doc: 'Leaves out the action parameter of SOAP 1.2.',
      effect: 'no action in the Content-Type of SOAP 1.2 requests.',
    }),
    socketTimeout: key('sender.parameters.SO_TIMEOUT', duration('ms'), {
      default: 60000,
      additional: true,
      aliases: ['transport.blocking_sender.so_timeout'],
      doc: 'Socket timeout.',
      effect: 'time without data after which a blocking call fails.',
    }),
    connectionTimeout: key('sender.parameters.CONNECTION_TIMEOUT', duration('ms'), {
      default: 60000,
      additional: true,
      doc: 'Connect timeout.',
      effect: 'time after which connecting fails.',
    }),
    proxyHost: key('sender.http.proxyHost', text(), {
      additional: true,
      aliases: ['sender.parameters.http.proxyHost'],
      doc: 'Proxy host.',
      effect: 'proxy of blocking calls.',
    }),
    proxyPort: key('sender.http.proxyPort', port(), {
      additional: true,
      aliases: ['sender.parameters.http.proxyPort'],
      doc: 'Proxy port.',
      effect: 'proxy port; 80 when only the host is set.',
    }),
    nonProxyHosts: key('sender.parameters.http.nonProxyHosts', hostList(), {
      additional: true,
      doc: 'Direct hosts.',
      effect: 'hosts that are called without the proxy.',
    }),
  },
});
