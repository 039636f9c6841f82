import type { Socket } from 'node:net';
import type { Exchange, OutgoingRequest, ResponseHandler, TransportError } from '../contract.ts';
import { openSocket, type SocketOptions } from './connector.ts';
import { wheel } from './deadline-wheel.ts';
import { Http2ClientExchange } from './http2-client-exchange.ts';
import { Http2ClientSession } from './http2-client-session.ts';
import { placeOfOrigin } from './origin-place.ts';
import { abortedError, connectError, noConnectionError } from './sender-errors.ts';
import type { HttpSenderOptions } from './sender-options.ts';

/** How long a back end that did not want HTTP/2 is not asked for it again. */
const oldMilliseconds = 300_000;

const maximumAttempts = 3;

/** One request, from its arrival to its outcome, on whatever it is sent. */
interface Sending {
  readonly request: OutgoingRequest;
  readonly handler: ResponseHandler;
  /** What sends it; undefined while it waits for a connection. */
  exchange: Exchange | undefined;
  attempts: number;
  /** How often its connection was lost before anything was said of it. */
  losses: number;
  isGivenUp: boolean;
}

/** The connections to one origin that speak HTTP/2, and the requests that wait for one. */
export class Http2Origin {
  readonly #name: string;
  readonly #authority: string;
  readonly #options: Required<HttpSenderOptions>;
  readonly #place: SocketOptions;
  /** Sends by HTTP/1.1, where the back end chose it. */
  readonly #fallBack: (request: OutgoingRequest, handler: ResponseHandler) => Exchange;
  #sessions: Http2ClientSession[] = [];
  #queue: Sending[] = [];
  #isOpening = false;
  #oldUntil = 0;
  #isClosed = false;

  /** @throws TypeError for a text that is no address */
  constructor(
    name: string,
    options: Required<HttpSenderOptions>,
    fallBack: (request: OutgoingRequest, handler: ResponseHandler) => Exchange,
  ) {
    const { isSecure, host, port, authority } = placeOfOrigin(name);
    const proxy = options.proxy(isSecure ? 'https' : 'http', host.toLowerCase());
    const { connectTimeout, tls } = options;
    this.#name = name;
    this.#authority = authority;
    this.#options = options;
    this.#fallBack = fallBack;
    this.#place = { isSecure, host, port, proxy, connectTimeout, tls, protocols: ['h2', 'http/1.1'] };
  }

  get isIdle(): boolean {
    return !this.#isOpening && this.#queue.length === 0 && this.#sessions.every(({ isIdle }) => isIdle);
  }

  send(request: OutgoingRequest, handler: ResponseHandler): Exchange {
    const sending: Sending = { request, handler, exchange: undefined, attempts: 0, losses: 0, isGivenUp: false };
    this.#give(sending);
    return {
      abort: () => {
        if (sending.exchange) return sending.exchange.abort();
        if (!sending.isGivenUp) this.#refuse(sending, abortedError(this.#name));
      },
    };
  }

  /** Takes no connection into use again; what is under way ends on its own. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.close();
  }

  /** Ends everything at once. */
  destroy(): void {
    this.close();
    for (const sending of this.#queue.splice(0)) this.#refuse(sending, abortedError(this.#name));
    for (const session of this.#sessions) session.destroy();
  }

  /** Sends it where there is room, or lets it wait for a connection. */
  #give(sending: Sending): void {
    const { proxy, isSecure } = this.#place;
    sending.exchange = undefined;
    if (wheel.now < this.#oldUntil || (proxy && !isSecure)) {
      sending.exchange = this.#fallBack(sending.request, sending.handler);
      return;
    }
    const session = this.#sessions.find(({ hasRoom }) => hasRoom);
    if (session) return this.#start(sending, session);
    const { connectionsPerOrigin, queueLimit } = this.#options;
    if (this.#queue.length >= queueLimit) {
      return this.#refuse(sending, noConnectionError(this.#name, 'all connections are in use and the queue is full'));
    }
    this.#queue.push(sending);
    if (!this.#isOpening && this.#sessions.length < connectionsPerOrigin) this.#open();
  }

  #start(sending: Sending, session: Http2ClientSession): void {
    sending.attempts++;
    const exchange = new Http2ClientExchange(sending.request, sending.handler, {
      timeout: this.#options.idleTimeout,
      repeat: (isLost) => {
        if (this.#isClosed || sending.attempts >= maximumAttempts || (isLost && sending.losses++ > 0)) return false;
        this.#give(sending);
        return true;
      },
    });
    sending.exchange = exchange;
    exchange.start(session, this.#authority);
  }

  #refuse(sending: Sending, error: TransportError): void {
    const { body } = sending.request;
    sending.isGivenUp = true;
    if (body !== null && !(body instanceof Uint8Array)) body.cancel();
    sending.handler.onError(error);
  }

  #open(): void {
    this.#isOpening = true;
    openSocket(this.#place, (error, socket) => {
      this.#isOpening = false;
      if (!socket) {
        const failure = connectError(this.#name, error ?? new Error('there is no connection'));
        for (const sending of this.#waiting()) this.#refuse(sending, failure);
        return;
      }
      if (this.#place.isSecure && !speaksHttp2(socket)) {
        socket.destroy();
        this.#oldUntil = wheel.now + oldMilliseconds;
        for (const sending of this.#waiting()) this.#give(sending);
        return;
      }
      const session = new Http2ClientSession(this.#name, socket, {
        options: this.#options,
        onChange: () => this.#changed(),
      });
      this.#sessions.push(session);
      this.#changed();
      // Those that waited for it are under way.
      if (this.#isClosed) session.close();
    });
  }

  /** Forgets connections that are over, and gives room to those that wait. */
  #changed(): void {
    this.#sessions = this.#sessions.filter(({ isOver }) => !isOver);
    for (const sending of this.#waiting()) this.#give(sending);
  }

  #waiting(): Sending[] {
    return this.#queue.splice(0).filter(({ isGivenUp }) => !isGivenUp);
  }
}

function speaksHttp2(socket: Socket): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}
