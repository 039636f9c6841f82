import type { Socket } from 'node:net';
import { getLogger } from '#core';
import { MillraceError } from '#errors';
import type { HttpRequest, Peer, TakenConnection } from '../contract.ts';
import { readBytesOf } from './accepted-socket.ts';
import { SizedInput, type BodyInput } from './body-input.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import { wheel, type Timed } from './deadline-wheel.ts';
import { findHeadEnd, HeadInput } from './head-input.ts';
import { IncomingBody, type BodyChannel } from './incoming-body.ts';
import { peerOf } from './peer.ts';
import { clientGoneError, refusalText, type Refusal } from './refusal.ts';
import { readRequest, refusePart, type ReadRequest } from './request-head.ts';
import { Http1Responder } from './responder.ts';
import { announcedTrailers, completeTrailers } from '../trailers.ts';
import type { ServerContext } from './server-context.ts';
import { lingerMilliseconds, ServerClock, type Phase, type Waiting } from './server-clock.ts';

const log = getLogger('transport.http');
const nothing = Buffer.alloc(0);
const never = Number.POSITIVE_INFINITY;

/** One connection of a client: requests one after the other, each answered before the next is looked at. */
export class ServerConnection implements BodyChannel, Timed {
  wheelTick = -1;
  readonly socket: Socket;
  readonly peer: Peer;
  readonly localPort: number;
  readonly context: ServerContext;
  #phase: Phase = 'head';
  readonly #input = new HeadInput();
  #body: IncomingBody | undefined;
  #bodyInput: BodyInput | undefined;
  #responder: Http1Responder | undefined;
  #isAwaited = false;
  #hasBegun = false;
  #isReading = false;
  /** What stands behind a request for another protocol in the bytes that are read just now. */
  #behind: Buffer = nothing;
  /** Whether reading is to pause, and whether it does. */
  #wantsPause = false;
  #isPaused = false;
  #answered = 0;
  readonly #clock: ServerClock;
  /** How much of a body that nobody reads may still come. */
  #discardLeft = never;
  /** What a read delivers, while it is taken apart. */
  #bytes: Buffer = nothing;
  #isShared = false;
  readonly #take = (from: number, to: number): void => {
    this.#body?.push(this.#bytes.subarray(from, to), this.#isShared);
  };

  constructor(socket: Socket, context: ServerContext) {
    this.socket = socket;
    this.context = context;
    this.#clock = new ServerClock(context.limits);
    this.peer = peerOf(socket);
    this.localPort = socket.localPort ?? 0;
    socket.on('drain', () => this.#drained());
    socket.on('end', () => this.#ended());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#closed());
    wheel.schedule(this, this.#deadline());
    readBytesOf(socket, (bytes, isShared) => this.#receive(bytes, isShared));
  }

  /** True when no request is under way or half read. */
  get isIdle(): boolean {
    return this.#phase === 'head' && !this.#hasBegun;
  }

  /** When the last answer ended. */
  get idleSince(): number {
    return this.#clock.since;
  }

  /** True while the client waits for the permission to send its body. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  get requestBody(): IncomingBody | undefined {
    return this.#body;
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Closes the connection once the last answer has gone out. */
  closeIdle(): void {
    this.socket.destroySoon();
  }

  bodyWanted(): void {
    this.permitBody();
  }

  /** Lets a client that waits for it send the body. */
  permitBody(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#clock.beginBody();
    if (this.#responder?.hasBegun === false) this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  pauseBody(): void {
    this.#wantsPause = true;
    this.#applyFlow();
  }

  resumeBody(): void {
    if (!this.#wantsPause) return;
    this.#wantsPause = false;
    // Time in which nobody wanted to read is not the client's.
    this.#clock.beginBody();
    this.#applyFlow();
  }

  bodyGivenUp(): void {
    if (!this.#isAwaited) this.resumeBody();
  }

  /** The whole answer was handed to the system. */
  answered(isLast: boolean): void {
    this.#answered++;
    this.#responder = undefined;
    const body = this.#body;
    if (isLast) {
      if (body && !body.isOver) body.cancel();
      this.#linger();
    } else if (!body || body.isOver) {
      this.#next();
    } else if (body.isAbandoned) {
      this.#discardLeft = this.context.limits.maxUnreadBytes;
      body.cancel();
      this.#isAwaited = false;
      this.resumeBody();
      this.#clock.begin();
      wheel.schedule(this, this.#deadline());
    }
  }

  due(now: number): number {
    this.#clock.noteWrites(this.socket);
    const until = this.#deadline();
    if (until > now) return until;
    if ((this.#hasBegun || this.#waiting() === 'body') && !this.#clock.isSilent) {
      this.#refuse({ status: 408, reason: 'The request was not complete in time' });
    } else {
      this.socket.destroy();
    }
    return this.socket.destroyed ? never : this.#deadline();
  }

  #deadline(): number {
    return this.#clock.deadline(this.#waiting());
  }

  #waiting(): Waiting {
    // A slow reader of the last answer has its time, whatever comes next.
    if (this.socket.writableLength > 0) return 'answer';
    switch (this.#phase) {
      case 'head':
        return this.isIdle && this.#answered > 0 ? 'idle' : 'head';
      case 'body':
        if (this.#discardLeft !== never) return 'unread body';
        return this.#isPaused || this.#isAwaited ? 'held body' : 'body';
      case 'linger':
        return 'close';
      default:
        return 'answer';
    }
  }

  /** Pauses or resumes the socket, once for all that was wished during a read. */
  #applyFlow(): void {
    if (this.#isReading || this.#isPaused === this.#wantsPause) return;
    this.#isPaused = this.#wantsPause;
    if (this.#isPaused) this.socket.pause();
    else this.socket.resume();
  }

  /** Takes what a read delivers; false when the connection belongs to others. */
  #receive(chunk: Buffer, isShared: boolean): boolean {
    if (this.#phase === 'taken') return false;
    this.#clock.traffic();
    if (this.#phase === 'linger') return true;
    if (this.#phase === 'wait') {
      this.#input.hold(this.#input.join(chunk), 0);
      this.pauseBody();
      return true;
    }
    const buffer = this.#phase === 'head' ? this.#input.join(chunk) : chunk;
    this.#read(buffer, isShared && buffer === chunk);
    return true;
  }

  /** Takes what is in the buffer, message by message; what belongs to a later one is held. */
  #read(buffer: Buffer, isShared: boolean): void {
    this.#isReading = true;
    this.#bytes = buffer;
    this.#isShared = isShared;
    let offset = 0;
    while (offset < buffer.length) {
      if (this.#phase === 'head') {
        const next = this.#readHead(buffer, offset);
        if (next < 0) break;
        offset = next;
      } else if (this.#phase === 'body') {
        const next = this.#readBody(buffer, offset);
        if (next < 0) break;
        offset = next;
      } else {
        if (this.#phase === 'wait') {
          this.#input.hold(buffer, offset);
          this.pauseBody();
        }
        break;
      }
    }
    this.#isReading = false;
    this.#bytes = nothing;
    this.#applyFlow();
  }

  /** Goes on with what was held while the last request was under way. */
  #next(): void {
    this.#phase = 'head';
    this.#clock.begin();
    this.#hasBegun = false;
    this.#body = undefined;
    this.#discardLeft = never;
    wheel.schedule(this, this.#clock.deadline('idle'));
    this.resumeBody();
    if (!this.#isReading && this.#input.hasBegun) this.#read(this.#input.join(nothing), false);
  }

  #readHead(buffer: Buffer, start: number): number {
    let offset = start;
    // An empty line before a request is passed over (RFC 9112, 2.2).
    if (buffer[offset] === 0x0d && buffer[offset + 1] === 0x0a) offset += 2;
    const end = findHeadEnd(buffer, offset);
    const { maxHeaderBytes, maxUriBytes } = this.context.limits;
    if (end < 0 || end - offset > maxHeaderBytes + maxUriBytes) {
      const part = buffer.toString('latin1', offset, offset + maxHeaderBytes + maxUriBytes + 1);
      const refusal = refusePart(part, this.context.limits);
      if (refusal) this.#refuse(refusal);
      else this.#holdPart(buffer, start);
      return -1;
    }
    if (!this.#hasBegun) this.#clock.beginRequest();
    this.#hasBegun = false;
    const request = readRequest(buffer.toString('latin1', offset, end), this.context.limits);
    if ('status' in request) {
      this.#refuse(request);
      return -1;
    }
    this.#behind = request.upgrade === undefined ? nothing : buffer.subarray(end + 2);
    this.#dispatch(request);
    return end + 2;
  }

  /** Gives the connection to who speaks the protocol that was asked for. */
  #handOver(responder: Http1Responder): TakenConnection | undefined {
    if (this.#phase !== 'wait' || this.#responder !== responder || responder.finished) return undefined;
    const { socket } = this;
    this.#phase = 'taken';
    this.#responder = undefined;
    responder.handedOver();
    wheel.remove(this);
    for (const event of ['data', 'drain', 'end']) socket.removeAllListeners(event);
    socket.pause();
    return { socket, rest: this.#isReading ? Buffer.from(this.#behind) : this.#input.join(nothing) };
  }

  #holdPart(buffer: Buffer, start: number): void {
    this.#input.hold(buffer, start);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#clock.beginRequest();
    // The first head has its time from the moment of the connection on.
    if (this.#answered > 0) this.#clock.begin();
    wheel.schedule(this, this.#deadline());
  }

  #dispatch(head: ReadRequest): void {
    const { method, version, target, headers, hasBody, bodyLength, expectsContinue, acceptsTrailers } = head;
    const { scheme, handler } = this.context;
    const body = hasBody ? new IncomingBody(this, bodyLength) : undefined;
    this.#body = body;
    this.#bodyInput = body && (bodyLength === undefined ? new ChunkDecoder() : new SizedInput(bodyLength));
    if (body && bodyLength === undefined) body.trailers = announcedTrailers(head.trailer);
    this.#isAwaited = expectsContinue;
    this.#phase = body ? 'body' : 'wait';
    if (body) {
      this.#clock.beginBody();
      wheel.schedule(this, this.#deadline());
    }
    const keepsConnection = head.keepsConnection && this.#answered + 1 !== this.context.limits.maxRequests;
    const responder = new Http1Responder(this, { method, version, keepsConnection, acceptsTrailers });
    this.#responder = responder;
    const { peer, localPort } = this;
    const protocol = head.upgrade;
    const upgrade = protocol === undefined ? undefined : { protocol, take: () => this.#handOver(responder) };
    const request: HttpRequest = {
      method,
      target,
      headers,
      body: body ?? null,
      peer,
      scheme,
      localPort,
      version,
      acceptsTrailers,
      upgrade,
    };
    try {
      handler(request, responder);
    } catch (error) {
      log.error({ err: error, method }, 'request handler failed');
      responder.refuse({ status: 500, reason: 'Internal error' });
    }
  }

  #readBody(buffer: Buffer, offset: number): number {
    const body = this.#body;
    const input = this.#bodyInput;
    if (!body || !input) return -1;
    const end = input.read(buffer, offset, this.#take);
    if (end < 0) {
      this.#refuse({ status: 400, reason: 'The request is not valid HTTP' });
      return -1;
    }
    this.#clock.bodyRead(end - offset);
    this.#discardLeft -= end - offset;
    if (this.#discardLeft < 0) {
      this.#linger();
    } else if (input.isDone) {
      this.#bodyInput = undefined;
      this.#isAwaited = false;
      if (this.#responder) this.#phase = 'wait';
      if (input.trailers && input.trailers.length > 0 && body.trailers) {
        body.trailers = completeTrailers(body.trailers, input.trailers);
      }
      body.settle('complete');
      if (!this.#responder && this.#phase === 'body') this.#next();
      // While an answer is awaited the connection is read, so that a client that leaves is noticed.
      else if (this.#phase === 'wait') this.resumeBody();
    }
    return end;
  }

  /** Ends a connection on which no further message can be understood; whoever reads a body learns that it broke off. */
  #refuse(refusal: Refusal): void {
    log.debug({ peer: this.peer.address, status: refusal.status, cause: refusal.reason }, 'request refused');
    const responder = this.#responder;
    const body = this.#body;
    const isAnswering = responder?.finished === true;
    const isSaid = this.#phase === 'body' && !responder;
    // An answer under way cannot be completed in good order.
    if (isAnswering) this.socket.destroy();
    else if (!isSaid) this.socket.write(refusalText(refusal), 'latin1');
    this.#responder = undefined;
    responder?.closed();
    body?.settle(new MillraceError({ code: 'MR_HTTP_BAD_REQUEST', status: refusal.status, message: refusal.reason }));
    if (!isAnswering) this.#linger();
  }

  /** Says that nothing more comes, and reads on for a while, so that no reset takes the last answer away. */
  #linger(): void {
    this.#phase = 'linger';
    this.#clock.begin();
    this.#hasBegun = false;
    this.#input.hold(nothing, 0);
    this.socket.end(() => this.#clock.begin());
    this.#wantsPause = false;
    this.#applyFlow();
    wheel.schedule(this, this.#clock.since + lingerMilliseconds);
  }

  #drained(): void {
    this.#clock.traffic();
    this.#responder?.drained();
  }

  /** The client sends nothing more. With its request unanswered it is taken to have gone. */
  #ended(): void {
    if (this.#phase === 'linger' || this.isIdle) this.socket.end();
    else this.socket.destroy();
  }

  #closed(): void {
    wheel.remove(this);
    this.#phase = 'linger';
    this.#body?.settle(clientGoneError());
    this.#responder?.closed();
  }
}
