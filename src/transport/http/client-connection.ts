import type { Socket } from 'node:net';
import { protocolStates } from '#errors';
import type { TransportError } from '../contract.ts';
import { SizedInput, type BodyInput } from './body-input.ts';
import { BodyWriter, writeJoined, type BodyWriterOwner } from './body-writer.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import type { ClientExchange } from './client-exchange.ts';
import { announcedTrailers, completeTrailers } from '../trailers.ts';
import type { Connector, SocketUser } from './connector.ts';
import { wheel, type Timed } from './deadline-wheel.ts';
import { holdWrites } from './held-writes.ts';
import { findHeadEnd, HeadInput } from './head-input.ts';
import { IncomingBody, type BodyChannel } from './incoming-body.ts';
import type { Origin } from './origin.ts';
import { readResponse, type ReadResponse } from './response-head.ts';
import {
  abortedError,
  closedError,
  connectError,
  connectTimeoutError,
  timeoutError,
  violationError,
} from './sender-errors.ts';

/** A body no longer than this is read to its end when it is given up, so that its connection stays usable. */
const discardableBytes = 65_536;
const maximumInformational = 32;
/** A far end that says how long it keeps connections is asked this much earlier for the last time. */
const keepAliveMargin = 1_000;
const nothing = Buffer.alloc(0);
const never = Number.POSITIVE_INFINITY;

type Phase = 'connecting' | 'idle' | 'head' | 'body' | 'over';

/** One connection to a back end: exchanges one after the other. */
export class ClientConnection implements SocketUser, BodyChannel, BodyWriterOwner, Timed {
  wheelTick = -1;
  readonly #origin: Origin;
  #socket: Socket | undefined;
  #phase: Phase = 'connecting';
  #exchange: ClientExchange | undefined;
  #writer: BodyWriter | undefined;
  readonly #input = new HeadInput();
  #head: ReadResponse | undefined;
  #body: IncomingBody | undefined;
  #bodyInput: BodyInput | undefined;
  #informational = 0;
  #served = 0;
  /** True once something of the present response has come. */
  #hasReceived = false;
  #isReading = false;
  #wantsPause = false;
  #isPaused = false;
  /** What a read delivers, while it is taken apart. */
  #bytes: Buffer = nothing;
  #isShared = false;
  #lastTraffic = wheel.now;
  #written = 0;
  #usableUntil: number;
  readonly #diesAt: number;
  readonly #take = (from: number, to: number): void => {
    this.#body?.push(this.#bytes.subarray(from, to), this.#isShared);
  };

  constructor(origin: Origin, exchange: ClientExchange) {
    const { connectTimeout, connectionLifespan } = origin.options;
    this.#origin = origin;
    this.#exchange = exchange;
    this.#usableUntil = wheel.now + connectTimeout;
    this.#diesAt = connectionLifespan > 0 ? wheel.now + connectionLifespan : never;
    exchange.taken(this);
    if (connectTimeout > 0) wheel.schedule(this, this.#usableUntil);
  }

  open(connector: Connector): void {
    connector.open(this, (socket) => {
      this.#socket = socket;
      if (this.#phase === 'over') socket.destroy();
    });
  }

  /** True when another exchange may begin on it. */
  isUsable(now: number): boolean {
    return this.#phase === 'idle' && now < this.#usableUntil && now < this.#diesAt;
  }

  /** Sends a request; the connection must be free. */
  begin(exchange: ClientExchange): void {
    exchange.taken(this);
    this.#exchange = exchange;
    this.#send(exchange);
  }

  destroy(): void {
    if (this.#socket) this.#socket.destroy();
    else this.closed(undefined);
  }

  /** The exchange was given up by who asked for it. */
  giveUp(exchange: ClientExchange): void {
    if (this.#exchange === exchange) this.#fail(abortedError(this.#origin.name));
  }

  connected(): void {
    const exchange = this.#exchange;
    if (this.#phase !== 'connecting' || !exchange) return this.destroy();
    this.#send(exchange);
  }

  received(bytes: Buffer, isShared: boolean): void {
    this.#lastTraffic = wheel.now;
    if (this.#phase !== 'head' && this.#phase !== 'body') {
      // Nothing was asked, so this answers nothing.
      this.destroy();
      return;
    }
    this.#hasReceived = true;
    const buffer = this.#phase === 'head' ? this.#input.join(bytes) : bytes;
    this.#isShared = isShared && buffer === bytes;
    this.#isReading = true;
    const isComplete = this.#read(buffer);
    this.#isReading = false;
    if (!isComplete) this.#applyFlow();
  }

  ended(): void {
    if (this.#phase === 'body' && this.#head?.framing === 'close') this.#complete(true);
    else this.destroy();
  }

  drained(): void {
    this.#lastTraffic = wheel.now;
    this.#writer?.drained();
  }

  closed(error: Error | undefined): void {
    const phase = this.#phase;
    const exchange = this.#exchange;
    if (phase === 'over') return;
    const isStale = phase === 'head' && this.#served > 0 && !this.#hasReceived && !this.#origin.isDestroyed;
    if (isStale && exchange?.isRepeatable) {
      this.#end();
      exchange.repeat();
    } else if (exchange) {
      const { name } = this.#origin;
      const cause = error ?? new Error('the connection was closed');
      this.#fail(phase === 'connecting' ? connectError(name, cause) : closedError(name, exchange.state, error));
    } else {
      this.#end();
    }
  }

  due(now: number): number {
    const socket = this.#socket;
    const written = socket ? socket.bytesWritten - socket.writableLength : 0;
    if (written !== this.#written) {
      this.#written = written;
      this.#lastTraffic = now;
    }
    const until = this.#deadline();
    if (until > now) return until;
    this.#expired();
    return never;
  }

  bodyWanted(): void {
    // Reading goes on when the body says so.
  }

  pauseBody(): void {
    this.#wantsPause = true;
    this.#applyFlow();
  }

  resumeBody(): void {
    if (!this.#wantsPause) return;
    this.#wantsPause = false;
    this.#lastTraffic = wheel.now;
    const { timeout = 0 } = this.#exchange ?? {};
    if (timeout > 0) wheel.schedule(this, this.#lastTraffic + timeout);
    this.#applyFlow();
  }

  bodyGivenUp(): void {
    const { framing, length = never } = this.#head ?? {};
    if (framing === 'length' && length <= discardableBytes) this.resumeBody();
    else this.#fail(abortedError(this.#origin.name));
  }

  bodyWritten(): void {
    this.#writer = undefined;
    const exchange = this.#exchange;
    if (exchange && exchange.state < protocolStates.requestDone) exchange.state = protocolStates.requestDone;
    this.#lastTraffic = wheel.now;
  }

  bodyBroke(error: Error | undefined): void {
    this.#writer = undefined;
    this.#fail(abortedError(this.#origin.name, error ?? new Error('the body has not its declared length')));
  }

  #send(exchange: ClientExchange): void {
    const socket = this.#socket;
    if (!socket) return;
    const { body, head, timeout } = exchange;
    this.#phase = 'head';
    this.#hasReceived = false;
    this.#informational = 0;
    this.#lastTraffic = wheel.now;
    if (timeout > 0) wheel.schedule(this, this.#lastTraffic + timeout);
    holdWrites(socket);
    if (body === null || body instanceof Uint8Array) {
      exchange.state = protocolStates.requestDone;
      if (body === null) socket.write(head, 'latin1');
      else writeJoined(socket, head, body);
      return;
    }
    exchange.state = protocolStates.requestBody;
    const framing = body.length === undefined ? 'chunks' : 'length';
    this.#writer = new BodyWriter(socket, body, { head, framing, owner: this, sendsTrailers: true });
    this.#writer.start();
  }

  /** Takes what is in the buffer; true when the response is complete. */
  #read(buffer: Buffer): boolean {
    let offset = 0;
    while (offset < buffer.length) {
      offset = this.#phase === 'head' ? this.#readHead(buffer, offset) : this.#readBody(buffer, offset);
      if (offset < 0) return false;
      if (this.#head && (!this.#bodyInput || this.#bodyInput.isDone)) {
        this.#complete(offset < buffer.length);
        return true;
      }
    }
    return false;
  }

  #readHead(buffer: Buffer, offset: number): number {
    const exchange = this.#exchange;
    const end = findHeadEnd(buffer, offset);
    const { maxHeaderBytes } = this.#origin.options;
    if (!exchange) return -1;
    if ((end < 0 ? buffer.length : end) - offset > maxHeaderBytes) return this.#violated('the head is too large');
    if (end < 0) {
      this.#input.hold(buffer, offset);
      return this.#examinePart(buffer, offset);
    }
    exchange.state = protocolStates.responseHead;
    const head = readResponse(buffer.toString('latin1', offset, end), exchange.request.method);
    if (typeof head === 'string') return this.#violated(head);
    if (head.status < 200) {
      if (head.status === 101) return this.#violated('the protocol was switched without being asked to');
      exchange.state = protocolStates.requestDone;
      const isFlood = ++this.#informational > maximumInformational;
      return isFlood ? this.#violated('too many informational responses') : end + 2;
    }
    this.#respond(exchange, head);
    return this.#phase === 'body' ? end + 2 : -1;
  }

  /** What cannot become a status line is refused without waiting for more. */
  #examinePart(buffer: Buffer, offset: number): number {
    const start = buffer.toString('latin1', offset, offset + 9);
    return 'HTTP/1.0 '.startsWith(start) || 'HTTP/1.1 '.startsWith(start) ? -1 : this.#violated('this is no HTTP');
  }

  #respond(exchange: ClientExchange, head: ReadResponse): void {
    const { status, reason, headers, framing, length } = head;
    this.#head = head;
    this.#phase = 'body';
    exchange.state = protocolStates.responseBody;
    this.#bodyInput =
      framing === 'none' ? undefined : framing === 'chunks' ? new ChunkDecoder() : new SizedInput(length ?? never);
    const body = this.#bodyInput ? new IncomingBody(this, framing === 'length' ? length : undefined) : undefined;
    if (body && framing === 'chunks') body.trailers = announcedTrailers(head.trailer);
    this.#body = body;
    exchange.settleResponse({ status, reason, headers, body: body ?? null });
  }

  #readBody(buffer: Buffer, offset: number): number {
    this.#bytes = buffer;
    const end = this.#bodyInput?.read(buffer, offset, this.#take) ?? -1;
    if (end < 0 && this.#phase === 'body') return this.#violated('the chunks of the body are not valid');
    return this.#phase === 'body' ? end : -1;
  }

  /** The response is complete: the connection is free, unless one of both sides wants its end. */
  #complete(hasMore: boolean): void {
    const head = this.#head;
    const body = this.#body;
    const exchange = this.#exchange;
    const isReusable = !hasMore && !this.#writer && head?.keepsConnection === true && exchange?.closes === false;
    const trailers = this.#bodyInput?.trailers;
    if (body?.trailers && trailers && trailers.length > 0) {
      body.trailers = completeTrailers(body.trailers, trailers);
    }
    if (exchange) exchange.state = protocolStates.responseDone;
    if (isReusable) this.#release(head);
    else this.#end();
    body?.settle('complete');
  }

  #release({ keepAlive }: ReadResponse): void {
    const { keepAliveTimeout } = this.#origin.options;
    const kept = keepAlive === undefined ? keepAliveTimeout : Math.min(keepAliveTimeout, keepAlive - keepAliveMargin);
    this.#forget();
    this.#phase = 'idle';
    this.#served++;
    this.#usableUntil = wheel.now + kept;
    wheel.schedule(this, this.#usableUntil);
    this.#wantsPause = false;
    this.#applyFlow();
    this.#origin.freed(this);
  }

  #violated(reason: string): -1 {
    const exchange = this.#exchange;
    if (exchange) this.#fail(violationError(this.#origin.name, exchange.state, reason));
    return -1;
  }

  /** Ends the connection and its exchange, which fails for whoever waits for the next part of it. */
  #fail(error: TransportError): void {
    const exchange = this.#exchange;
    const body = this.#body;
    this.#end();
    body?.settle(error);
    exchange?.settleError(error);
  }

  #end(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    const writer = this.#writer;
    this.#forget();
    writer?.cancel();
    wheel.remove(this);
    this.#socket?.destroy();
    this.#origin.lost(this);
  }

  #forget(): void {
    this.#exchange = undefined;
    this.#writer = undefined;
    this.#head = undefined;
    this.#body = undefined;
    this.#bodyInput = undefined;
  }

  #applyFlow(): void {
    const socket = this.#socket;
    if (this.#isReading || !socket || this.#isPaused === this.#wantsPause) return;
    this.#isPaused = this.#wantsPause;
    if (this.#isPaused) socket.pause();
    else socket.resume();
  }

  #deadline(): number {
    const exchange = this.#exchange;
    if (this.#phase === 'connecting') return this.#usableUntil;
    if (!exchange) return Math.min(this.#usableUntil, this.#diesAt);
    // While this side holds the exchange up, its time does not run.
    const isHeld = this.#isPaused || (this.#writer !== undefined && this.#socket?.writableNeedDrain === false);
    return exchange.timeout > 0 && !isHeld ? this.#lastTraffic + exchange.timeout : this.#longAfter(exchange);
  }

  #longAfter({ timeout }: ClientExchange): number {
    return timeout > 0 ? wheel.now + timeout : never;
  }

  #expired(): void {
    const exchange = this.#exchange;
    const { name, options } = this.#origin;
    if (!exchange) this.destroy();
    else if (this.#phase === 'connecting') this.#fail(connectTimeoutError(name, options.connectTimeout));
    else this.#fail(timeoutError(name, exchange.state, exchange.timeout));
  }
}
