import type { WebSocket } from 'ws';
import { getLogger } from '#core';
import { wheel, type Timed } from '../http/deadline-wheel.ts';
import { isSendableCode, type CloseFacts } from './close-code.ts';
import type { WebSocketLimits } from './limits.ts';

const log = getLogger('transport.ws');
const never = Number.POSITIVE_INFINITY;
/** Most bytes of a reason in a close frame (RFC 6455, 5.5.1). */
const reasonBytes = 123;
/** How long the far end has to answer a close frame. */
const closeTimeout = 5_000;

/** One message of a WebSocket. */
export interface WebSocketFrame {
  readonly data: Uint8Array;
  readonly isBinary: boolean;
}

/** Who hears of a connection. */
export interface WebSocketUser {
  received(frame: WebSocketFrame): void;
  /** The connection takes more, after a `send` that returned false. */
  drained(): void;
  /** The last thing that is heard. */
  closed(facts: CloseFacts): void;
}

/** An open WebSocket connection to a client or a back end. Nothing is read from it before it has a user. */
export class WebSocketLink implements Timed {
  wheelTick = -1;
  readonly #socket: WebSocket;
  readonly #limits: WebSocketLimits;
  #user: WebSocketUser | undefined;
  #ended: CloseFacts | undefined;
  #isPaused = true;
  #isFull = false;
  #isAsked = false;
  #closesBy = never;
  #lastSign = wheel.now;
  #lastMessage = wheel.now;

  constructor(socket: WebSocket, limits: WebSocketLimits) {
    this.#socket = socket;
    this.#limits = limits;
    socket.pause();
    socket.on('message', (data: Buffer, isBinary) => {
      this.#moved();
      this.#user?.received({ data, isBinary });
    });
    const alive = (): void => this.#alive();
    socket.on('ping', alive).on('pong', alive);
    // The end follows at once, with the code that fits already sent.
    socket.on('error', (error) => log.debug({ error: error.message }, 'a WebSocket connection failed'));
    socket.on('close', (code, reason) => this.#closed({ code, reason: reason.toString() }));
    wheel.schedule(this, this.#deadline());
  }

  /** The subprotocol that both sides speak; empty when there is none. */
  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Bytes that the far end has not taken yet. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Begins to read. */
  start(user: WebSocketUser): void {
    this.#user = user;
    if (this.#ended) user.closed(this.#ended);
    else this.resume();
  }

  /**
   * Sends a message; false asks to wait for `drained`.
   *
   * @param done called when the system has taken it, or with why it has not
   */
  send({ data, isBinary }: WebSocketFrame, done?: (error?: Error) => void): boolean {
    this.#lastMessage = wheel.now;
    this.#socket.send(data, { binary: isBinary }, (error) => {
      done?.(error ?? undefined);
      if (!this.#isFull || this.#socket.bufferedAmount > this.#limits.maxBufferedBytes / 2) return;
      this.#isFull = false;
      this.#user?.drained();
    });
    this.#isFull ||= this.isOpen && this.#socket.bufferedAmount > this.#limits.maxBufferedBytes;
    return !this.#isFull;
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#lastSign = wheel.now;
    this.#socket.resume();
  }

  /** Says goodbye; who does not answer is left. */
  close({ code, reason }: CloseFacts): void {
    if (!this.isOpen) return;
    // The answer must be read.
    this.resume();
    if (isSendableCode(code)) this.#socket.close(code, cut(reason));
    else this.#socket.close();
    this.#closesBy = wheel.now + closeTimeout;
    wheel.schedule(this, this.#closesBy);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  due(now: number): number {
    const { pingInterval, idleTimeout } = this.#limits;
    if (now >= this.#closesBy) this.terminate();
    else if (this.isOpen && idleTimeout > 0 && now >= this.#lastMessage + idleTimeout) {
      this.close({ code: 1001, reason: 'Nothing was said for too long' });
    } else if (this.isOpen && pingInterval > 0 && now >= this.#lastSign + pingInterval) this.#ask(now);
    return this.#ended ? never : this.#deadline();
  }

  /** Asks whether the far end is there; who did not answer the last time is not. */
  #ask(now: number): void {
    // What is not read cannot be heard.
    if (this.#isAsked && !this.#isPaused) return this.terminate();
    this.#isAsked = true;
    this.#lastSign = now;
    this.#socket.ping();
  }

  #deadline(): number {
    const { pingInterval, idleTimeout } = this.#limits;
    const silent = pingInterval > 0 ? this.#lastSign + pingInterval : never;
    const idle = idleTimeout > 0 ? this.#lastMessage + idleTimeout : never;
    return Math.min(silent, idle, this.#closesBy);
  }

  #moved(): void {
    this.#lastMessage = wheel.now;
    this.#alive();
  }

  #alive(): void {
    this.#lastSign = wheel.now;
    this.#isAsked = false;
  }

  #closed(facts: CloseFacts): void {
    if (this.#ended) return;
    this.#ended = facts;
    wheel.remove(this);
    this.#user?.closed(facts);
  }
}

/** As much of a reason as a close frame has room for. */
function cut(reason: string): string {
  let text = reason;
  while (Buffer.byteLength(text) > reasonBytes) text = text.slice(0, -1);
  return text;
}
