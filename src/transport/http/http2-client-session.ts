import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { getLogger } from '#core';
import { wheel, type Timed } from './deadline-wheel.ts';
import type { HttpSenderOptions } from './sender-options.ts';

const log = getLogger('transport.http');
const never = Number.POSITIVE_INFINITY;
/** Most requests side by side on one connection, even where the back end allows more. */
const maximumStreams = 100;
/** Bytes of a response, and of all responses of a connection, that may be on the way unread. */
const streamWindow = 262_144;
const sessionWindow = 1_048_576;
/** Silence after which a back end with requests under way is asked whether it is there, and its time to answer. */
const pingAfter = 30_000;
const pongWithin = 10_000;

/** One connection to a back end that speaks HTTP/2. */
export class Http2ClientSession implements Timed {
  wheelTick = -1;
  readonly #session: ClientHttp2Session;
  readonly #options: Required<HttpSenderOptions>;
  readonly #onChange: () => void;
  #open = 0;
  #isRetired = false;
  #lastStream = never;
  #lastTraffic = wheel.now;
  #pingedAt: number | undefined;

  /** @param onChange called when there may be room for another request, and when the connection is over */
  constructor(
    origin: string,
    socket: Socket,
    { options, onChange }: { readonly options: Required<HttpSenderOptions>; readonly onChange: () => void },
  ) {
    this.#options = options;
    this.#onChange = onChange;
    const session = connect(origin, {
      createConnection: () => socket,
      // Megabytes.
      maxSessionMemory: 10,
      maxHeaderListPairs: 1_000,
      maxSettings: 32,
      peerMaxConcurrentStreams: maximumStreams,
      settings: {
        enablePush: false,
        initialWindowSize: streamWindow,
        maxHeaderListSize: options.maxHeaderBytes,
      },
    });
    this.#session = session;
    session.once('connect', () => session.setLocalWindowSize(sessionWindow));
    session.on('remoteSettings', () => onChange());
    session.on('goaway', (code: number, lastStream: number) => {
      this.#lastStream = lastStream;
      log.debug({ origin, code, lastStream }, 'a back end takes no further request on a connection');
    });
    session.on('error', (error) => log.debug({ origin, error: error.message }, 'an HTTP/2 connection failed'));
    session.on('close', () => {
      wheel.remove(this);
      socket.destroy();
      onChange();
    });
    wheel.schedule(this, this.#deadline());
  }

  get isOver(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** True when another request may begin on it. */
  get hasRoom(): boolean {
    const allowed = this.#session.remoteSettings.maxConcurrentStreams ?? maximumStreams;
    const takesMore = !this.isOver && !this.#isRetired && this.#lastStream === never;
    return takesMore && this.#open < Math.min(allowed, maximumStreams);
  }

  /** Begins a request. @throws TypeError for fields that cannot be sent */
  request(fields: readonly string[], options: { endStream: boolean; waitForTrailers: boolean }): ClientHttp2Stream {
    const stream = this.#session.request([...fields], options);
    this.#open++;
    this.moved();
    stream.once('close', () => {
      this.#open--;
      this.moved();
      if (this.#isRetired) this.close();
      this.#onChange();
    });
    return stream;
  }

  /** True when the back end says that it has not looked at a request, so that another one may. */
  isUnprocessed({ id = 0, rstCode }: ClientHttp2Stream): boolean {
    return rstCode === constants.NGHTTP2_REFUSED_STREAM || id > this.#lastStream;
  }

  /** Something came or went. */
  moved(): void {
    this.#lastTraffic = wheel.now;
    this.#pingedAt = undefined;
    wheel.schedule(this, this.#deadline());
  }

  /** Takes no further request; those under way end on their own. */
  close(): void {
    this.#isRetired = true;
    // With requests under way it goes on until they are over: of those that were not written yet none would be sent.
    if (this.isIdle && !this.isOver) this.#session.close();
  }

  destroy(): void {
    this.#session.destroy();
  }

  due(now: number): number {
    const until = this.#deadline();
    if (until > now) return until;
    if (this.isIdle) {
      this.close();
      return never;
    }
    if (this.#pingedAt !== undefined) {
      this.destroy();
      return never;
    }
    this.#pingedAt = now;
    this.#session.ping(() => this.moved());
    return this.#deadline();
  }

  #deadline(): number {
    if (this.isIdle) return this.#lastTraffic + this.#options.keepAliveTimeout;
    return this.#pingedAt === undefined ? this.#lastTraffic + pingAfter : this.#pingedAt + pongWithin;
  }
}
