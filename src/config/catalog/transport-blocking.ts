import { defineSection, key } from './define.ts';
import { boolean, duration, hostList, integer, oneOf, port, text } from './types.ts';

export const transportBlockingHttps = defineSection({
  path: 'transport.blocking_https',
  doc: 'The HTTPS client of blocking calls.',
  keys: {
    senderEnable: key('sender.enable', boolean(), {
      default: true,
      doc: 'Enable.',
      effect: 'false makes blocking calls over this scheme fail.',
    }),
    senderParametersCacheHttpClient: key('sender.parameters.cacheHttpClient', boolean(), {
      required: true,
      default: true,
      aliases: ['transport.blocking_sender.enable_client_caching'],
      doc: 'Reuse the client.',
      effect: 'keep-alive agent on or off for blocking calls.',
    }),
    senderParametersTransferEncoding: key('sender.parameters.Transfer-Encoding', oneOf('chunked', 'true'), {
      required: true,
      default: 'chunked',
      aliases: ['transport.blocking_sender.transfer_encoding'],
      doc: 'Chunking.',
      effect: 'chunked = stream with chunked encoding; otherwise buffer and send Content-Length.',
    }),
    senderParametersDefaultMaxConnectionsPerHost: key(
      'sender.parameters.defaultMaxConnectionsPerHost',
      integer({ min: 0 }),
      {
        required: true,
        default: 200,
        aliases: ['transport.blocking_sender.default_connections_per_host'],
        doc: 'Connections per host.',
        effect: 'connections at once to one host.',
      },
    ),
    senderParametersOmitSOAP12Action: key('sender.parameters.OmitSOAP12Action', boolean(), {
      note: 'the integration runtime of the original uses true',
      aliases: ['transport.blocking_sender.omit_soap12_action'],
      doc: 'No action parameter.',
      effect: 'omit action= in application/soap+xml.',
    }),
    senderParametersSoTimeout: key('sender.parameters.SO_TIMEOUT', duration('ms'), {
      required: true,
      default: 60000,
      aliases: ['transport.blocking_sender.so_timeout'],
      doc: 'Socket timeout.',
      effect: 'response timeout of blocking calls.',
    }),
    senderHttpProxyHost: key('sender.http.proxyHost', text(), {
      aliases: ["sender.parameters.'http.proxyHost'"],
      doc: 'HTTP proxy.',
      effect: 'proxy of the blocking agent.',
    }),
    senderHttpProxyPort: key('sender.http.proxyPort', port(), {
      aliases: ["sender.parameters.'http.proxyPort'"],
      doc: 'HTTP proxy port.',
      effect: 'proxy port.',
    }),
    senderHttpsProxyHost: key('sender.https.proxyHost', text(), {
      aliases: ['sender.secured_proxy_host'],
      doc: 'HTTPS proxy (the document: "the same pair for an HTTPS proxy").',
      effect: 'proxy used for https targets.',
    }),
    senderHttpsProxyPort: key('sender.https.proxyPort', port(), {
      aliases: ['sender.secured_proxy_port'],
      doc: 'HTTPS proxy port.',
      effect: 'proxy port for https targets.',
    }),
    senderParametersProtocol: key('sender.parameters.PROTOCOL', oneOf('HTTP/1.1', 'HTTP/1.0'), {
      default: 'HTTP/1.1',
      additional: true,
      doc: 'Protocol.',
      effect: 'HTTP/1.0 disables keep-alive and chunking.',
    }),
    senderParametersConnectionTimeout: key('sender.parameters.CONNECTION_TIMEOUT', duration('ms'), {
      default: 60000,
      additional: true,
      doc: 'Connect timeout.',
      effect: 'connect timeout.',
    }),
    senderParametersHttpNonProxyHosts: key('sender.parameters.http.nonProxyHosts', hostList(), {
      additional: true,
      doc: 'Direct hosts.',
      effect: 'as for the non-blocking sender.',
    }),
  },
});
