import { protocolStates } from '#errors';
import type { Body } from '#message';
import type { OutgoingRequest } from '../contract.ts';
import { ClientConnection } from './client-connection.ts';
import type { ClientExchange } from './client-exchange.ts';
import { createConnector, type Connector } from './connector.ts';
import { wheel } from './deadline-wheel.ts';
import { placeOfOrigin } from './origin-place.ts';
import { proxyAuthorization } from './proxy.ts';
import { writeRequestHead } from './request-text.ts';
import { closedError } from './sender-errors.ts';
import type { HttpSenderOptions } from './sender-options.ts';

/** The connections to one origin, and the exchanges that wait for one. */
export class Origin {
  readonly name: string;
  readonly options: Required<HttpSenderOptions>;
  readonly #connector: Connector;
  readonly #host: string;
  /** What a plain request needs to pass its proxy. */
  readonly #extraLines: string;
  /** Scheme and authority before each target, which a plain request to a proxy has (RFC 9112, 3.2.2). */
  readonly #prefix: string;
  readonly #connections = new Set<ClientConnection>();
  /** Unused connections; the one used last is used first. */
  readonly #idle: ClientConnection[] = [];
  #queue: ClientExchange[] = [];
  #isClosed = false;
  #isDestroyed = false;

  /** @throws TypeError for a text that is no address */
  constructor(name: string, options: Required<HttpSenderOptions>) {
    const { isSecure, host, port, authority } = placeOfOrigin(name);
    const proxy = options.proxy(isSecure ? 'https' : 'http', host.toLowerCase());
    const authorization = proxy && !isSecure ? proxyAuthorization(proxy) : undefined;
    const { tls, connectTimeout } = options;
    this.name = name;
    this.options = options;
    this.#host = authority;
    this.#extraLines = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
    this.#prefix = proxy && !isSecure ? name : '';
    this.#connector = createConnector({ isSecure, host, port, proxy, connectTimeout, tls });
  }

  get idleTimeout(): number {
    return this.options.idleTimeout;
  }

  get keepAlive(): boolean {
    return this.options.keepAlive;
  }

  get isIdle(): boolean {
    return this.#connections.size === this.#idle.length && this.#queue.length === 0;
  }

  /** True once everything was ended at once. */
  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  /** The head of a request to this origin; undefined when it cannot be sent. */
  headOf(request: OutgoingRequest, body: Body, closes: boolean): string | undefined {
    const { target: path } = request;
    const target = this.#prefix !== '' && path.startsWith('/') ? this.#prefix + path : path;
    return writeRequestHead(request, { target, body, host: this.#host, extraLines: this.#extraLines, closes });
  }

  /** Gives the exchange a connection, or a place among those that wait for one. */
  send(exchange: ClientExchange): void {
    const { connectionsPerOrigin, queueLimit } = this.options;
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.isUsable(wheel.now)) return idle.begin(exchange);
      idle.destroy();
    }
    if (this.#connections.size < connectionsPerOrigin) {
      this.#open(exchange);
    } else if (this.#queue.length < queueLimit) {
      this.#queue.push(exchange);
      exchange.wait();
    } else {
      this.#queue = this.#queue.filter(({ isSettled }) => !isSettled);
      if (this.#queue.length < queueLimit) this.send(exchange);
      else exchange.refuse('all connections are in use and the queue is full');
    }
  }

  /** A connection has become free. */
  freed(connection: ClientConnection): void {
    const next = this.#isClosed ? undefined : this.#nextWaiting();
    if (next && connection.isUsable(wheel.now)) connection.begin(next);
    else if (this.#isClosed || next) {
      connection.destroy();
      if (next) this.send(next);
    } else this.#idle.push(connection);
  }

  /** A connection is no more. */
  lost(connection: ClientConnection): void {
    this.#connections.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    const next = this.#nextWaiting();
    if (next) this.send(next);
  }

  /** Takes no connection into use again; what is under way ends on its own. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  /** Ends everything at once. */
  destroy(): void {
    this.#isDestroyed = true;
    this.close();
    const cause = new Error('the sender was closed');
    for (const exchange of this.#queue.splice(0)) {
      exchange.settleError(closedError(this.name, protocolStates.requestReady, cause));
    }
    for (const connection of this.#connections) connection.destroy();
  }

  #open(exchange: ClientExchange): void {
    const connection = new ClientConnection(this, exchange);
    this.#connections.add(connection);
    connection.open(this.#connector);
  }

  #nextWaiting(): ClientExchange | undefined {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if (!next.isSettled) return next;
    }
    return undefined;
  }
}
