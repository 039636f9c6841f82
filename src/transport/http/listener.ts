import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getLogger } from '#core';
import { messageOf, MillraceError } from '#errors';
import type { TlsMaterial } from '#keystore';
import type { HttpListener, RequestHandler } from '../contract.ts';
import { refuseConnection } from './connection-errors.ts';
import { Connections } from './connections.ts';
import type { Exchange } from './exchange.ts';
import {
  defaultListenerLimits,
  type HttpListenerOptions,
  type ListenerLimits,
  type ListenerTls,
} from './listener-options.ts';
import { refusalText } from './refusal.ts';
import { RequestBody } from './request-body.ts';
import { announcesBody, readHead } from './request-head.ts';
import { Http1Responder, type ResponderPolicy } from './responder.ts';

const log = getLogger('transport.http');
/** While draining, a connection that was busy so recently may have its next request on the wire already. */
const recentMilliseconds = 1_000;
const checkInterval = 1_000;
const handshakeTimeout = 10_000;

/**
 * Opens an HTTP/1.1 listener, or an HTTPS one when `options.tls` is given.
 *
 * @param handler gets each acceptable request; ambiguous ones are refused by the listener itself
 * @throws MillraceError `MR_HTTP_LISTEN` when the port cannot be bound
 */
export async function startHttpListener(options: HttpListenerOptions, handler: RequestHandler): Promise<HttpListener> {
  const listener = new NodeListener(options, handler);
  await listener.listen();
  return listener;
}

class NodeListener implements HttpListener {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly #options: HttpListenerOptions;
  readonly #limits: ListenerLimits;
  readonly #handler: RequestHandler;
  readonly #server: Server | TlsServer;
  readonly #connections = new Connections();
  readonly #policy: ResponderPolicy;
  #isDraining = false;
  #closing: Promise<void> | undefined;
  #port = 0;

  constructor(options: HttpListenerOptions, handler: RequestHandler) {
    const { tls } = options;
    this.scheme = tls ? 'https' : 'http';
    this.host = options.host;
    this.#options = options;
    this.#limits = { ...defaultListenerLimits, ...options.limits };
    this.#handler = handler;
    this.#policy = {
      isClosing: () => this.#isDraining || options.keepAlive === false,
      serverHeader: options.serverHeader,
      maxUnreadBytes: this.#limits.maxUnreadBytes,
    };
    const serverOptions = this.#serverOptions();
    this.#server = tls
      ? createTlsServer({ ...serverOptions, ...contextOptions(tls), handshakeTimeout, ALPNProtocols: ['http/1.1'] })
      : createServer(serverOptions);
    this.#configure();
  }

  get port(): number {
    return this.#port;
  }

  listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      const fail = (cause: Error): void => {
        reject(
          new MillraceError({
            code: 'MR_HTTP_LISTEN',
            message: `Cannot listen on ${host}:${port}: ${cause.message}`,
            cause,
          }),
        );
      };
      this.#server.once('error', fail);
      this.#server.listen(port, host, () => {
        this.#server.off('error', fail);
        this.#server.on('error', (error) => log.error({ error: messageOf(error), port }, 'listener failed'));
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  setTls(material: TlsMaterial): void {
    if (!('setSecureContext' in this.#server)) return;
    this.#server.setSecureContext(contextOptions({ ...this.#options.tls, ...material }));
  }

  drain(milliseconds: number): Promise<void> {
    this.#closing ??= this.#drain(milliseconds);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
    this.#connections.destroyAll();
  }

  async #drain(milliseconds: number): Promise<void> {
    this.#isDraining = true;
    // Closing a server closes idle connections too; here that is done below, with regard for requests on their way.
    this.#server.closeIdleConnections = () => undefined;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    const grace = Math.min(recentMilliseconds, milliseconds / 2);
    this.#connections.destroyIdle(grace);
    const graceTimer = setTimeout(() => this.#connections.destroyIdle(0), grace);
    const lastTimer = setTimeout(() => this.#connections.destroyAll(), milliseconds);
    await closed;
    clearTimeout(graceTimer);
    clearTimeout(lastTimer);
  }

  #serverOptions(): ServerOptions {
    const { maxHeaderBytes, maxUriBytes, headersTimeout, requestTimeout, keepAliveTimeout } = this.#limits;
    return {
      // The parser counts target and fields together; each has its own limit in `readHead`.
      maxHeaderSize: maxHeaderBytes + maxUriBytes,
      headersTimeout: requestTimeout > 0 ? Math.min(headersTimeout, requestTimeout) : headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: checkInterval,
      optimizeEmptyRequests: true,
      noDelay: true,
      ...(this.#options.bufferSize === undefined ? {} : { highWaterMark: this.#options.bufferSize }),
    };
  }

  #configure(): void {
    const server = this.#server;
    const { idleTimeout, maxConnections } = this.#limits;
    // No limit here, since Node drops what is beyond it silently; `readHead` counts.
    server.maxHeadersCount = 0;
    server.timeout = idleTimeout;
    if (maxConnections > 0) server.maxConnections = maxConnections;
    server.on('connection', (socket: Socket) => this.#connections.of(socket));
    server.on('secureConnection', (socket: Socket) => this.#connections.of(socket));
    server.on('request', (request, response) => this.#handle(request, response, false));
    server.on('checkContinue', (request, response) => this.#handle(request, response, true));
    server.on('checkExpectation', (request, response) => {
      this.#open(request, response, null).responder.refuse({ status: 417, reason: 'The expectation is not known' });
    });
    server.on('connect', (_request, socket) => {
      socket.end(refusalText({ status: 405, reason: 'The method CONNECT is not allowed' }));
    });
    server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket, this.#connections));
    server.on('tlsClientError', (error: Error) => log.debug({ error: error.message }, 'TLS handshake failed'));
  }

  #handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const { method = '', url = '', rawHeaders, httpVersionMinor } = request;
    const version = httpVersionMinor === 0 ? '1.0' : '1.1';
    const head = readHead({ method, url, rawHeaders, version }, this.#limits);
    if ('status' in head) {
      const body = announcesBody(rawHeaders)
        ? new RequestBody(request, undefined, expectsContinue ? response : undefined)
        : null;
      this.#open(request, response, body).responder.refuse(head);
      return;
    }
    const body = head.hasBody
      ? new RequestBody(request, head.bodyLength, expectsContinue ? response : undefined)
      : null;
    const { responder } = this.#open(request, response, body);
    const { peer, localPort } = this.#connections.of(request.socket);
    const { target, headers } = head;
    try {
      this.#handler({ method, target, headers, body, peer, scheme: this.scheme, localPort, version }, responder);
    } catch (error) {
      log.error({ error: messageOf(error), method }, 'request handler failed');
      responder.refuse({ status: 500, reason: 'Internal error' });
    }
  }

  #open(request: IncomingMessage, response: ServerResponse, body: RequestBody | null): Exchange {
    const connection = this.#connections.of(request.socket);
    const responder = new Http1Responder(this.#policy, { request, response, body });
    const exchange = { responder, body };
    connection.exchanges.push(exchange);
    response.on('close', () => {
      responder.closed();
      connection.exchanges.splice(connection.exchanges.indexOf(exchange), 1);
      connection.idleSince = performance.now();
    });
    return exchange;
  }
}

function contextOptions({ verifyClient = 'none', key, cert, ca, ...rest }: ListenerTls) {
  return {
    ...rest,
    ...(key === undefined ? {} : { key }),
    ...(cert === undefined ? {} : { cert }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    requestCert: verifyClient !== 'none',
    rejectUnauthorized: verifyClient === 'require',
  };
}
