import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { getLogger } from '#core';
import { wheel, type Timed } from './deadline-wheel.ts';
import { readHttp2Head } from './http2-request.ts';
import { ResetGuard, sessionOptions } from './http2-session.ts';
import { Http2Stream } from './http2-stream.ts';
import { peerOf } from './peer.ts';
import type { ServerContext } from './server-context.ts';

const log = getLogger('transport.http');

/** What comes with a stream: its fields by name, flags of its frame, and the fields as they came. */
type StreamFacts = readonly [headers: unknown, flags: number, raw: readonly string[]];

/** One connection of a client that speaks HTTP/2: requests side by side, under the contract of the listener. */
export class Http2Connection implements Timed {
  wheelTick = -1;
  readonly #session: ServerHttp2Session;
  readonly #guard: ResetGuard;
  readonly #context: ServerContext;
  #open = 0;
  #answered = 0;
  #since = wheel.now;

  constructor(socket: Socket, context: ServerContext) {
    this.#context = context;
    const session = performServerHandshake(socket, sessionOptions(context.limits));
    this.#session = session;
    this.#guard = new ResetGuard(session);
    const peer = peerOf(socket);
    const localPort = socket.localPort ?? 0;
    session.on('stream', (stream: ServerHttp2Stream, ...[, flags, raw]: StreamFacts) => {
      this.#open++;
      const taken = new Http2Stream(stream, context, (isComplete) => this.#ended(isComplete));
      const head = readHttp2Head(raw, context.limits);
      const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
      if ('status' in head) taken.refuse(head);
      else taken.dispatch(head, { hasBody, peer, localPort });
    });
    session.on('error', (error) => log.debug({ peer: peer.address, error: error.message }, 'HTTP/2 connection failed'));
    session.on('close', () => {
      wheel.remove(this);
      socket.destroy();
    });
    wheel.schedule(this, this.#deadline());
  }

  /** True when no request is under way. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** When the last answer ended. */
  get idleSince(): number {
    return this.#since;
  }

  /** Takes no further request and closes when those under way have been answered. */
  finish(): void {
    if (!this.#session.destroyed) this.#session.close();
  }

  closeIdle(): void {
    this.finish();
  }

  destroy(): void {
    this.#session.destroy();
  }

  due(now: number): number {
    const until = this.#deadline();
    if (until > now) return until;
    this.finish();
    return Number.POSITIVE_INFINITY;
  }

  /** A connection without requests has the time of an idle one, or of a first head. */
  #deadline(): number {
    const { headersTimeout, keepAliveTimeout } = this.#context.limits;
    if (this.#open > 0) return wheel.now + keepAliveTimeout;
    return this.#since + (this.#answered > 0 ? keepAliveTimeout : headersTimeout);
  }

  #ended(isComplete: boolean): void {
    this.#open--;
    this.#answered++;
    this.#since = wheel.now;
    if (!isComplete) this.#guard.gaveUp();
    wheel.schedule(this, this.#deadline());
    if (this.#context.isClosing()) this.finish();
  }
}
