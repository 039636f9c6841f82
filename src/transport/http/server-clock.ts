import type { Socket } from 'node:net';
import { wheel } from './deadline-wheel.ts';
import type { ListenerLimits } from './listener-options.ts';

/** How long a client may take to read the last answer before its connection is destroyed. */
export const lingerMilliseconds = 2_000;
const never = Number.POSITIVE_INFINITY;

/**
 * `head`: between requests, or in the middle of a head. `body`: a body is coming. `wait`: the request is complete, its
 * answer is not; what comes now is kept for later. `linger`: everything was said, what still comes is thrown away.
 * `taken`: another protocol is spoken.
 */
export type Phase = 'head' | 'body' | 'wait' | 'linger' | 'taken';

/** What a connection is doing, as far as its time is concerned. */
export type Waiting =
  /** For the first byte of a further request. */
  | 'idle'
  | 'head'
  | 'body'
  /** For a body that this side holds up. */
  | 'held body'
  /** For the end of a body that nobody reads. */
  | 'unread body'
  | 'answer'
  /** For the client to close. */
  | 'close';

/** How long a client may take for what; all moments are on the clock of the wheel. */
export class ServerClock {
  readonly #limits: ListenerLimits;
  #since = wheel.now;
  #requestSince = this.#since;
  #lastTraffic = this.#since;
  #bodyBytes = 0;
  #written = 0;

  constructor(limits: ListenerLimits) {
    this.#limits = limits;
  }

  /** When the present state began. */
  get since(): number {
    return this.#since;
  }

  /** True when nothing moved for as long as a connection may be silent. */
  get isSilent(): boolean {
    const { idleTimeout } = this.#limits;
    return idleTimeout > 0 && this.#lastTraffic + idleTimeout <= wheel.now;
  }

  /** Another state begins. */
  begin(): void {
    this.#since = wheel.now;
  }

  beginRequest(): void {
    this.#requestSince = wheel.now;
  }

  /** A body begins, or goes on after this side held it up. */
  beginBody(): void {
    this.#since = wheel.now;
    this.#lastTraffic = this.#since;
    this.#bodyBytes = 0;
  }

  traffic(): void {
    this.#lastTraffic = wheel.now;
  }

  bodyRead(bytes: number): void {
    this.#bodyBytes += bytes;
  }

  /** What the system took of an answer since the last time is traffic. */
  noteWrites(socket: Socket): void {
    const written = socket.bytesWritten - socket.writableLength;
    if (written === this.#written) return;
    this.#written = written;
    this.#lastTraffic = wheel.now;
  }

  /** The moment at which the client has had its time. */
  deadline(waiting: Waiting): number {
    const { headersTimeout, keepAliveTimeout, requestTimeout, idleTimeout } = this.#limits;
    const silent = idleTimeout > 0 ? this.#lastTraffic + idleTimeout : never;
    const whole = requestTimeout > 0 ? this.#requestSince + requestTimeout : never;
    switch (waiting) {
      case 'idle':
        return this.#since + keepAliveTimeout;
      case 'head':
        return Math.min(silent, whole, this.#since + headersTimeout);
      case 'body':
        return Math.min(silent, whole, this.#bodyDeadline());
      case 'held body':
        return Math.min(silent, whole);
      case 'answer':
        return silent;
      default:
        return this.#since + lingerMilliseconds;
    }
  }

  #bodyDeadline(): number {
    const { bodyTimeout, minBodyRate } = this.#limits;
    return this.#since + bodyTimeout + (this.#bodyBytes / minBodyRate) * 1_000;
  }
}
