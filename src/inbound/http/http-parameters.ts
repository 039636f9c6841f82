import type { NamedStore, PortRequest, PortRevocation, PortTls, PortWorkers } from '#mediation';
import { getAttribute, type SourceNode } from '#xml';
import {
  anyText,
  flag,
  javaPattern,
  nameList,
  required,
  wholeNumber,
  word,
  xmlFields,
  type ParameterRule,
} from '../parameter-rules.ts';
import type { InboundDefinition } from '../definition.ts';
import type { InboundParameter, ResolvedParameters } from '../parameters.ts';
import { frameParameters } from '../web-socket/socket-parameters.ts';

const storeFields = ['Location', 'Type', 'Password', 'KeyPassword'] as const;
const store = (local: string): ReturnType<typeof xmlFields<(typeof storeFields)[number]>> =>
  xmlFields(local, storeFields, ['Location', 'Password']);
const verifierFields = xmlFields('CertificateRevocationVerifier', ['CacheSize', 'CacheDelay'] as const, []);

/** Undefined for a verifier that is not enabled. */
const revocation: ParameterRule<PortRevocation | undefined> = {
  read(value, name) {
    const { element, CacheSize: size, CacheDelay: delay } = verifierFields.read(value, name);
    const numberIn = (field: string, least: number, text: string | undefined): number | undefined =>
      text === undefined ? undefined : wholeNumber(least).read(text.trim(), `${name}/${field}`);
    const read = { cacheSize: numberIn('CacheSize', 0, size), cacheDelay: numberIn('CacheDelay', 1, delay) };
    return getAttribute(element, 'enable')?.trim() === 'true' ? read : undefined;
  },
};

/** Parameters of `http` and `https` (mediators 12.1). Names and lifetimes of threads have no meaning without threads. */
export const httpParameters = {
  'inbound.http.port': required(wholeNumber(0, 65_535)),
  'inbound.port.offset.enable': flag,
  'api.dispatching.enabled': flag,
  'dispatch.filter.pattern': javaPattern,
  'inbound.worker.pool.size.core': wholeNumber(1),
  'inbound.worker.pool.size.max': wholeNumber(1),
  'inbound.worker.pool.queue.length': wholeNumber(-1),
  'inbound.worker.thread.keep.alive.sec': wholeNumber(0),
  'inbound.thread.group.id': anyText,
  'inbound.thread.id': anyText,
  keystore: store('KeyStore'),
  truststore: store('TrustStore'),
  SSLVerifyClient: word(['none', 'optional', 'require'] as const),
  SSLProtocol: word(['TLS', 'TLSv1.2', 'TLSv1.3'] as const),
  HttpsProtocols: nameList,
  PreferredCiphers: nameList,
  CertificateRevocationVerifier: revocation,
  certificateRevocationVerifier: revocation,
} as const;

const { 'inbound.http.port': anyPort, ...withoutPort } = httpParameters;

/** Parameters of `httpws` and `httpswss`. Sessions and handshakes of TLS are bounded as on the listeners of the server. */
export const httpWebSocketParameters = {
  ...withoutPort,
  port: anyPort,
  hostname: anyText,
  // Every version that is listed is spoken, and clients choose.
  protocolVersion: word(['1.0', '1.1', '2', '2.0'] as const),
  protocolVersions: nameList,
  SessionTimeout: wholeNumber(0),
  HandshakeTimeout: wholeNumber(0),
  HostnameVerifier: anyText,
  ...frameParameters,
} as const;

/** Whether a protocol is spoken over TLS. */
export function isSecure(protocol: string | undefined): boolean {
  return protocol?.startsWith('https') === true;
}

/** Reports a verifier of certificates for which nobody is asked. */
export function checkTls(node: SourceNode, parameters: readonly InboundParameter[]): void {
  const verifier = parameters.find(({ name }) => name.toLowerCase() === 'certificaterevocationverifier');
  if (!verifier || typeof verifier.value === 'string') return;
  if (getAttribute(verifier.value, 'enable')?.trim() !== 'true') return;
  const verifies = parameters.find(({ name }) => name === 'SSLVerifyClient');
  if (verifies && !(typeof verifies.value === 'string' && /^none$/i.test(verifies.value))) return;
  node.report({
    code: 'MR_INBOUND_REVOCATION',
    severity: 'warning',
    message: 'CertificateRevocationVerifier has no effect, because no client is asked for a certificate',
    position: verifier.position,
    excerpt: verifier.excerpt,
  });
}

/** The port that an endpoint asks for. @throws ProblemsError for values that do not fit */
export function readPort({ name, protocol }: InboundDefinition, parameters: ResolvedParameters): PortRequest {
  return {
    endpoint: name,
    port: parameters.get('inbound.http.port', anyPort) ?? parameters.get('port', anyPort) ?? 0,
    ...(protocol === 'http' || protocol === 'https' ? {} : { parameter: 'port' }),
    host: parameters.get('hostname', anyText),
    takesOffset: parameters.get('inbound.port.offset.enable', flag),
    tls: isSecure(protocol) ? readTls(parameters) : undefined,
    workers: readWorkers(parameters),
  };
}

function readWorkers(parameters: ResolvedParameters): PortWorkers | undefined {
  const core = parameters.get('inbound.worker.pool.size.core', wholeNumber(1));
  const atLeast = wholeNumber(core ?? 1);
  const max = parameters.get('inbound.worker.pool.size.max', atLeast);
  const queue = parameters.get('inbound.worker.pool.queue.length', wholeNumber(-1));
  return core === undefined && max === undefined && queue === undefined ? undefined : { core, max, queue };
}

function readTls(parameters: ResolvedParameters): PortTls {
  const verifyClient = parameters.get('SSLVerifyClient', httpParameters.SSLVerifyClient);
  const single = parameters.get('SSLProtocol', httpParameters.SSLProtocol);
  return {
    keyStore: readStore(parameters, 'keystore'),
    trustStore: readStore(parameters, 'truststore'),
    verifyClient: verifyClient === 'none' ? undefined : verifyClient,
    revocation:
      parameters.get('CertificateRevocationVerifier', revocation) ??
      parameters.get('certificateRevocationVerifier', revocation),
    // `TLS` stands for every version that is allowed.
    protocols:
      parameters.get('HttpsProtocols', nameList) ?? (single === undefined || single === 'TLS' ? undefined : [single]),
    ciphers: parameters.get('PreferredCiphers', nameList),
  };
}

function readStore(parameters: ResolvedParameters, name: 'keystore' | 'truststore'): NamedStore | undefined {
  const found = parameters.get(name, httpParameters[name]);
  if (!found) return undefined;
  const { Location: location = '', Password: password = '', KeyPassword: keyPassword } = found;
  return { location, password, keyPassword };
}
