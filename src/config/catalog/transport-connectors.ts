import { defineSection, key } from './define.ts';
import { amount, boolean, duration, integer, list, port, text, textLike } from './types.ts';

/** What both connectors have. */
const common = {
  bindOnInit: key('bindOnInit', boolean(), {
    required: true,
    default: false,
    doc: 'Bind during initialization.',
    effect: 'true opens the port before everything is loaded; requests wait.',
  }),
  maxHttpHeaderSize: key('maxHttpHeaderSize', amount('bytes'), {
    reload: true,
    required: true,
    default: 8192,
    doc: 'Request header limit.',
    effect: 'larger headers are answered 431.',
  }),
  acceptorThreadCount: key('acceptorThreadCount', integer({ min: 0 }), {
    required: true,
    default: 2,
    doc: 'Acceptor threads.',
    inert: 'one event loop accepts; meaningful only as number of cluster workers when cluster mode is on.',
  }),
  maxThreads: key('maxThreads', integer({ min: 0 }), {
    required: true,
    default: 250,
    doc: 'Worker threads.',
    mapped:
      'maximum requests in process per connector; the excess waits in a FIFO queue of acceptCount entries, then 503.',
  }),
  minSpareThreads: key('minSpareThreads', integer({ min: 0 }), {
    required: true,
    default: 50,
    doc: 'Spare threads.',
    inert: 'no thread pool per request; warning only when it is greater than maxThreads.',
  }),
  disableUploadTimeout: key('disableUploadTimeout', boolean(), {
    reload: true,
    required: true,
    default: false,
    doc: 'Separate upload timeout off.',
    effect:
      'false = connectionUploadTimeout limits the body; true = the ordinary connection timeout (20 s between packets) applies to it.',
  }),
  connectionUploadTimeout: key('connectionUploadTimeout', duration('ms'), {
    reload: true,
    required: true,
    default: 120000,
    doc: 'Upload timeout.',
    effect: 'time that the body of a request may take.',
  }),
  maxKeepAliveRequests: key('maxKeepAliveRequests', integer({ min: -1 }), {
    reload: true,
    required: true,
    default: 120000,
    note: 'a sample and the original show 200',
    doc: 'Requests per connection.',
    effect: 'requests per connection; -1 sets no limit, 1 closes after each.',
  }),
  keepAliveTimeout: key('keepAliveTimeout', duration('ms', { min: -1 }), {
    reload: true,
    required: true,
    default: 60000,
    doc: 'Idle keep-alive time.',
    effect: 'idle connections are closed after it; -1 sets no limit.',
  }),
  acceptCount: key('acceptCount', integer({ min: 0 }), {
    required: true,
    default: 200,
    doc: 'Accept backlog.',
    effect: 'connections and requests that wait.',
  }),
  server: key('server', text(), {
    reload: true,
    required: true,
    whenAbsent: 'no Server header',
    doc: 'Server header.',
    effect: 'value of the Server response header; empty removes it.',
  }),
  compression: key('compression', textLike('on', 'off', 'force', '<bytes>'), {
    required: true,
    default: 'on',
    doc: 'Compression.',
    effect: 'off, on, force, or a number (minimum size in bytes): gzip/br by Accept-Encoding.',
  }),
  compressionMinSize: key('compressionMinSize', amount('bytes'), {
    required: true,
    default: 2048,
    doc: 'Minimum size.',
    effect: 'smaller bodies with known length are not compressed.',
  }),
  noCompressionUserAgents: key('noCompressionUserAgents', list(), {
    required: true,
    default: 'gozilla, traviata',
    doc: 'User agents without compression.',
    effect: 'comma-separated list; each item a regular expression tested on User-Agent.',
  }),
  compressibleMimeType: key('compressibleMimeType', list(), {
    required: true,
    default:
      'text/html,text/javascript,application/x-javascript,application/javascript,application/xml,text/css,application/xslt+xml,text/xsl,image/gif,image/jpg,image/jpeg',
    doc: 'Media types compressed.',
    effect: 'comma-separated list compared without parameters.',
  }),
  uriEncoding: key('URIEncoding', text(), {
    required: true,
    default: 'UTF-8',
    doc: 'Decoding of the URI.',
    effect: 'charset of %XX decoding in path and query.',
  }),
};

export const httpConnector = defineSection({
  path: 'transport.http.properties',
  doc: 'The HTTP connector of the administrative APIs and portals.',
  keys: {
    port: key('port', port(), {
      required: true,
      default: 9763,
      note: 'the document lists 9443 for both connectors; absent means 9763 here; both on one port is a start error naming both lines',
      doc: 'Listen port.',
      effect: 'listen port of the HTTP management/UI/REST server, plus offset.',
    }),
    ...common,
  },
});

export const httpsConnector = defineSection({
  path: 'transport.https.properties',
  doc: 'The HTTPS connector of the administrative APIs and portals.',
  keys: {
    port: key('port', port(), {
      required: true,
      default: 9443,
      doc: 'Listen port.',
      effect: 'listen port of the HTTPS management/UI/REST server, plus offset.',
    }),
    ...common,
    enableLookups: key('enableLookups', boolean(), {
      required: true,
      default: false,
      doc: 'DNS lookups.',
      inert: 'callers are told by their addresses; no name is looked up.',
    }),
    scheme: key('scheme', text(), {
      required: true,
      default: 'https',
      doc: 'Scheme reported.',
      effect: 'scheme used when building absolute URLs of a request (TLS off-loading).',
    }),
    secure: key('secure', boolean(), {
      required: true,
      default: true,
      doc: 'Request is secure.',
      effect: 'Secure flag of cookies and redirect decisions.',
    }),
    sslEnabled: key('SSLEnabled', boolean(), {
      required: true,
      default: true,
      doc: 'TLS on the connector.',
      effect: 'false = plain HTTP on this port (behind a TLS-terminating proxy).',
    }),
  },
});

export const connector = defineSection({
  path: 'transport.<http|https>.properties',
  doc: 'Further settings of both connectors.',
  keys: {
    proxyPort: key('proxyPort', port(), {
      additional: true,
      doc: 'Port seen by clients behind a proxy.',
      effect: 'port of generated URLs; ${mgt.transport.https.port} becomes this value.',
    }),
    redirectPort: key('redirectPort', port(), {
      documentedDefault: 9443,
      whenAbsent: 'pages are served over HTTP as well.',
      additional: true,
      doc: 'HTTP to HTTPS redirect port.',
      effect: 'HTTP connector only: pages that a browser asks for are redirected to HTTPS on this port.',
    }),
    certificateVerification: key('certificate_verification', text(), {
      reload: true,
      default: 'false',
      aliases: ['transport.https.sslHostConfig.properties.certificateVerification'],
      additional: true,
      doc: 'Client certificate.',
      effect: 'false/optional/optionalNoCA/required -> requestCert and rejectUnauthorized.',
    }),
    protocols: key('protocols', list(), {
      reload: true,
      default: '+TLSv1,+TLSv1.1,+TLSv1.2,+TLSv1.3',
      aliases: ['transport.https.sslHostConfig.properties.protocols'],
      additional: true,
      doc: 'TLS versions.',
      effect: 'minVersion/maxVersion of the TLS context; + and - prefixes.',
    }),
    sslProtocol: key('ssl_protocol', text(), {
      default: 'TLS',
      additional: true,
      doc: 'TLS protocol family.',
      inert: 'it is always TLS.',
    }),
    ciphers: key('ciphers', list(), {
      reload: true,
      aliases: ['transport.https.sslHostConfig.properties.ciphers'],
      additional: true,
      doc: 'Cipher suites.',
      mapped: 'Java suite names translated to OpenSSL names.',
    }),
    relaxedQueryChars: key('relaxedQueryChars', text(), {
      additional: true,
      doc: 'Characters accepted unencoded in URLs.',
      effect: 'extends the lenient parser.',
    }),
    relaxedPathChars: key('relaxedPathChars', text(), {
      additional: true,
      doc: 'Characters accepted unencoded in URLs.',
      effect: 'extends the lenient parser.',
    }),
  },
});
