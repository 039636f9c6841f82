import { protocolStates, type ProtocolState } from '#errors';
import type { Body } from '#message';
import type { Exchange, IncomingResponse, OutgoingRequest, ResponseHandler, TransportError } from '../contract.ts';
import type { ClientConnection } from './client-connection.ts';
import { wheel, type Timed } from './deadline-wheel.ts';
import { GatheredBody, gatheredBytes } from './gathered-body.ts';
import { idempotent } from './idempotent.ts';
import type { Origin } from './origin.ts';
import { abortedError, invalidRequestError, noConnectionError } from './sender-errors.ts';

/** One request on its way to a back end, and the way back of its outcome. */
export class ClientExchange implements Exchange, Timed {
  wheelTick = -1;
  readonly request: OutgoingRequest;
  readonly timeout: number;
  readonly closes: boolean;
  readonly #origin: Origin;
  readonly #handler: ResponseHandler;
  state: ProtocolState = protocolStates.requestReady;
  /** The connection that works on it. */
  connection: ClientConnection | undefined;
  body: Body;
  /** Everything before the body as it goes on the wire. */
  head = '';
  #waitsUntil = Number.POSITIVE_INFINITY;
  #isSettled = false;

  constructor(origin: Origin, request: OutgoingRequest, handler: ResponseHandler) {
    this.#origin = origin;
    this.#handler = handler;
    this.request = request;
    this.timeout = request.idleTimeout ?? origin.idleTimeout;
    this.closes = request.close === true || !origin.keepAlive;
    this.body = request.body;
  }

  /** True once the handler has heard of the outcome. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** True when it may be sent again although the far end may have got it. */
  get isRepeatable(): boolean {
    const { body } = this;
    return !this.#isSettled && (body === null || body instanceof Uint8Array) && idempotent.has(this.request.method);
  }

  /** Begins; a short body is gathered before a connection is taken. */
  start(): void {
    const { body } = this;
    if (body === null || body instanceof Uint8Array || body.length === undefined || body.length > gatheredBytes) {
      this.#dispatch();
    } else {
      body.pipe(new GatheredBody((outcome) => this.#gathered(outcome)));
    }
  }

  abort(): void {
    if (!this.#isSettled && !this.connection) cancelBody(this.body);
    const { connection } = this;
    this.settleError(abortedError(this.request.origin));
    connection?.giveUp(this);
  }

  /** Waits for a connection, but no longer than for an answer. */
  wait(): void {
    if (this.timeout <= 0) return;
    this.#waitsUntil = wheel.now + this.timeout;
    wheel.schedule(this, this.#waitsUntil);
  }

  due(now: number): number {
    if (this.#isSettled || this.connection) return Number.POSITIVE_INFINITY;
    if (now < this.#waitsUntil) return this.#waitsUntil;
    this.refuse(`no connection became free within ${this.timeout} ms`);
    return Number.POSITIVE_INFINITY;
  }

  /** There is no connection for it. */
  refuse(reason: string): void {
    cancelBody(this.body);
    this.settleError(noConnectionError(this.request.origin, reason));
  }

  /** A connection took it. */
  taken(connection: ClientConnection): void {
    this.connection = connection;
    wheel.remove(this);
  }

  /** Sends it once more, on another connection. */
  repeat(): void {
    this.connection = undefined;
    this.state = protocolStates.requestReady;
    this.#origin.send(this);
  }

  settleResponse(response: IncomingResponse): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#handler.onResponse(response);
  }

  settleError(error: TransportError): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    wheel.remove(this);
    this.#handler.onError(error);
  }

  #gathered(outcome: Uint8Array | Error): void {
    if (this.#isSettled) return;
    if (outcome instanceof Error) {
      this.settleError(abortedError(this.request.origin, outcome));
      return;
    }
    this.body = outcome;
    this.#dispatch();
  }

  #dispatch(): void {
    const head = this.#origin.headOf(this.request, this.body, this.closes);
    if (head === undefined) {
      cancelBody(this.body);
      this.settleError(invalidRequestError(this.request.origin));
      return;
    }
    this.head = head;
    this.#origin.send(this);
  }
}

function cancelBody(body: Body): void {
  if (body !== null && !(body instanceof Uint8Array)) body.cancel();
}
