import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { getLogger } from '#core';
import { messageOf, MillraceError } from '#errors';
import type { HttpListener, RequestHandler } from '../contract.ts';
import { readingShared } from './accepted-socket.ts';
import { Http2Connection } from './http2-connection.ts';
import { wheel } from './deadline-wheel.ts';
import {
  defaultListenerLimits,
  type HttpListenerOptions,
  type ListenerManners,
  type ListenerTls,
} from './listener-options.ts';
import { ServerConnection } from './server-connection.ts';
import type { ServerContext } from './server-context.ts';
import { TlsServers } from './tls-servers.ts';

const log = getLogger('transport.http');
/** While draining, a connection that was busy so recently may have its next request on the wire already. */
const recentMilliseconds = 1_000;
const backlog = 4_096;

/**
 * Opens an HTTP/1.1 listener, or an HTTPS one when `options.tls` is given, which speaks HTTP/2 with clients that want
 * to.
 *
 * @param handler gets each acceptable request; ambiguous ones are refused by the listener itself
 * @throws MillraceError `MR_HTTP_LISTEN` when the port cannot be bound
 */
export async function startHttpListener(options: HttpListenerOptions, handler: RequestHandler): Promise<HttpListener> {
  const listener = new SocketListener(options, handler);
  await listener.listen();
  return listener;
}

class SocketListener implements HttpListener {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly #options: HttpListenerOptions;
  readonly #server: Server;
  readonly #tls: TlsServers | undefined;
  readonly #connections = new Set<ServerConnection | Http2Connection>();
  readonly #encrypted = new Set<Socket>();
  readonly #handler: RequestHandler;
  #context: ServerContext;
  #isDraining = false;
  #closing: Promise<void> | undefined;
  #port = 0;

  constructor(options: HttpListenerOptions, handler: RequestHandler) {
    const { tls, bufferSize } = options;
    this.scheme = tls ? 'https' : 'http';
    this.host = options.host;
    this.#options = options;
    this.#handler = handler;
    this.#context = this.#contextFor(options);
    const common = {
      noDelay: options.noDelay ?? true,
      ...(bufferSize === undefined ? {} : { highWaterMark: bufferSize }),
    };
    this.#server = createServer({ ...common, pauseOnConnect: !tls });
    const { maxConnections } = this.#context.limits;
    if (maxConnections > 0) this.#server.maxConnections = maxConnections;
    this.#tls = tls && new TlsServers(tls, (socket) => this.#accept(socket));
    this.#server.on('connection', (socket: Socket) => {
      if (this.#tls) {
        this.#track(socket);
        this.#tls.take(socket);
      } else this.#accept(readingShared(socket, { bufferSize }));
    });
  }

  get port(): number {
    return this.#port;
  }

  listen(): Promise<void> {
    const { host, port, reusePort = false } = this.#options;
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
      this.#server.listen({ port, host, backlog, reusePort }, () => {
        this.#server.off('error', fail);
        this.#server.on('error', (error) => log.error({ error: messageOf(error), port }, 'listener failed'));
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  setTls(tls: ListenerTls): void {
    this.#tls?.set(tls);
  }

  setOptions(options: ListenerManners): void {
    this.#context = this.#contextFor(options);
    const { maxConnections } = this.#context.limits;
    this.#server.maxConnections = maxConnections > 0 ? maxConnections : Number.MAX_SAFE_INTEGER;
  }

  drain(milliseconds: number): Promise<void> {
    this.#closing ??= this.#drain(milliseconds);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
    this.#destroyAll();
  }

  async #drain(milliseconds: number): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const connection of this.#connections) if (connection instanceof Http2Connection) connection.finish();
    const grace = Math.min(recentMilliseconds, milliseconds / 2);
    this.#destroyIdle(grace);
    const graceTimer = setTimeout(() => this.#destroyIdle(0), grace);
    const lastTimer = setTimeout(() => this.#destroyAll(), milliseconds);
    await closed;
    clearTimeout(graceTimer);
    clearTimeout(lastTimer);
  }

  #contextFor({ limits, serverHeader, keepAlive }: ListenerManners): ServerContext {
    return {
      handler: this.#handler,
      scheme: this.scheme,
      limits: { ...defaultListenerLimits, ...limits },
      serverHeader,
      isClosing: () => this.#isDraining || keepAlive === false,
    };
  }

  #accept(socket: Socket): void {
    const isHttp2 = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
    const connection = new (isHttp2 ? Http2Connection : ServerConnection)(socket, this.#context);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }

  /** Knows the sockets under TLS, of which some never become connections. */
  #track(socket: Socket): void {
    this.#encrypted.add(socket);
    socket.once('close', () => this.#encrypted.delete(socket));
  }

  /** Destroys the connections that have been idle for at least `milliseconds`. */
  #destroyIdle(milliseconds: number): void {
    const before = wheel.now - milliseconds;
    for (const connection of this.#connections) {
      if (connection.isIdle && connection.idleSince <= before) connection.closeIdle();
    }
  }

  #destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
    for (const socket of this.#encrypted) socket.destroy();
  }
}
