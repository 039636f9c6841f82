import { blockingHttpTransport, passthruHttp, transportBlockingHttps, type Config } from '#config';
import { getHeader, readBody, setHeader } from '#message';
import {
  createHttpSender,
  TransportError,
  type BodySource,
  type Exchange,
  type HttpSender,
  type OutgoingRequest,
  type ResponseHandler,
} from '#transport';
import { protocolStates, synapseCodes, toError } from '#errors';
import { limitResponses } from './message-size.ts';
import { hostTest, proxyOf } from './proxies.ts';
import { refuseSchemes } from './refuse-schemes.ts';
import { applyTls, type ServerTls } from './tls.ts';

/** Most bytes of a body of which the length is counted before it is sent. */
const countedBytes = 64 * 1024 * 1024;

/** What the configuration says of blocking calls over one scheme. */
interface BlockingSettings {
  readonly enabled: boolean;
  readonly keepAlive: boolean;
  readonly isChunked: boolean;
  readonly connections: number;
  readonly omitsAction: boolean;
  readonly socketTimeout: number;
  readonly connectTimeout: number;
  readonly proxyHost: string | undefined;
  readonly proxyPort: number | undefined;
  readonly directHosts: readonly string[];
}

/** The sender of blocking calls, with pools, timeouts and proxies of its own for each scheme. */
export function openBlockingSender(config: Config, tls: ServerTls): HttpSender {
  const senders = { http: openFor(readPlain(config), tls, 'http:'), https: openFor(readSecure(config), tls, 'https:') };
  const sender: HttpSender = {
    send: (request, handler) => senders[request.origin.startsWith('https:') ? 'https' : 'http'].send(request, handler),
    async [Symbol.asyncDispose]() {
      await Promise.all([senders.http[Symbol.asyncDispose](), senders.https[Symbol.asyncDispose]()]);
    },
  };
  const isLimited = config.get(passthruHttp.messageSizeValidationEnabled);
  return isLimited ? limitResponses(sender, config.get(passthruHttp.validMaxMessageSizeInBytes)) : sender;
}

function openFor(settings: BlockingSettings, tls: ServerTls, scheme: 'http:' | 'https:'): HttpSender {
  const { proxyHost: host, proxyPort, directHosts } = settings;
  const proxy =
    host === undefined ? undefined : proxyOf({ host, port: proxyPort ?? 80, user: undefined, password: undefined });
  const isDirect = hostTest(directHosts);
  const pooled = createHttpSender({
    keepAlive: settings.keepAlive,
    connectionsPerOrigin: settings.connections,
    idleTimeout: settings.socketTimeout,
    connectTimeout: settings.connectTimeout,
    tls: tls.sender(),
    proxy: (_, name) => (isDirect(name) ? undefined : proxy),
  });
  tls.onChange(() => void applyTls(() => pooled.setTls(tls.sender())));
  return settings.enabled ? framed(pooled, settings) : refuseSchemes(pooled, [scheme]);
}

/** Sends a body of unknown length in chunks, or counts it first, as `Transfer-Encoding` wants it. */
function framed(sender: HttpSender, { isChunked, omitsAction }: BlockingSettings): HttpSender {
  return {
    send(request, handler) {
      const prepared = omitsAction ? withoutAction(request) : request;
      const { body } = prepared;
      const isReady = isChunked || body === null || body instanceof Uint8Array || body.length !== undefined;
      return isReady ? sender.send(prepared, handler) : sendCounted(sender, { ...prepared, body }, handler);
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

/** Reads the whole body before it is sent. */
function sendCounted(
  sender: HttpSender,
  request: OutgoingRequest & { readonly body: BodySource },
  handler: ResponseHandler,
): Exchange {
  let isAborted = false;
  let exchange: Exchange | undefined;
  const sendWhenRead = async (): Promise<void> => {
    try {
      const body = await readBody(request.body, countedBytes);
      if (!isAborted) exchange = sender.send({ ...request, body }, handler);
    } catch (error) {
      handler.onError(unreadable(request.origin, toError(error)));
    }
  };
  void sendWhenRead();
  return {
    abort() {
      isAborted = true;
      if (exchange) exchange.abort();
      else request.body.cancel();
    },
  };
}

function unreadable(origin: string, cause: Error): TransportError {
  return new TransportError({
    baseCode: synapseCodes.senderIoSending,
    state: protocolStates.requestReady,
    message: 'Error in Sender',
    detail: `${origin}: the body could not be read: ${cause.message}`,
    cause,
  });
}

/** SOAP 1.2 names the action in its media type (RFC 3902), which some back ends do not take. */
function withoutAction(request: OutgoingRequest): OutgoingRequest {
  const type = getHeader(request.headers, 'Content-Type');
  if (type === undefined || !/^application\/soap\+xml\b/i.test(type)) return request;
  const headers = [...request.headers];
  setHeader(headers, 'Content-Type', type.replace(/;\s*action\s*=\s*(?:"[^"]*"|[^;\s]+)/i, ''));
  return { ...request, headers };
}

function readPlain(config: Config): BlockingSettings {
  const keys = blockingHttpTransport;
  return {
    enabled: config.get(keys.senderEnable),
    keepAlive: config.get(keys.cacheHttpClient),
    isChunked: config.get(keys.transferEncoding) === 'chunked',
    connections: config.get(keys.maxConnectionsPerHost),
    omitsAction: config.get(keys.omitSoap12Action) ?? false,
    socketTimeout: config.milliseconds(keys.socketTimeout),
    connectTimeout: config.milliseconds(keys.connectionTimeout),
    proxyHost: config.get(keys.proxyHost),
    proxyPort: config.get(keys.proxyPort),
    directHosts: config.get(keys.nonProxyHosts) ?? [],
  };
}

/** HTTP/1.0 knows neither chunks nor, by itself, connections that stay. */
function readSecure(config: Config): BlockingSettings {
  const keys = transportBlockingHttps;
  const isOld = config.get(keys.senderParametersProtocol) === 'HTTP/1.0';
  return {
    enabled: config.get(keys.senderEnable),
    keepAlive: !isOld && config.get(keys.senderParametersCacheHttpClient),
    isChunked: !isOld && config.get(keys.senderParametersTransferEncoding) === 'chunked',
    connections: config.get(keys.senderParametersDefaultMaxConnectionsPerHost),
    omitsAction: config.get(keys.senderParametersOmitSOAP12Action) ?? false,
    socketTimeout: config.milliseconds(keys.senderParametersSoTimeout),
    connectTimeout: config.milliseconds(keys.senderParametersConnectionTimeout),
    proxyHost: config.get(keys.senderHttpsProxyHost) ?? config.get(keys.senderHttpProxyHost),
    proxyPort: config.get(keys.senderHttpsProxyPort) ?? config.get(keys.senderHttpProxyPort),
    directHosts: config.get(keys.senderParametersHttpNonProxyHosts) ?? [],
  };
}
