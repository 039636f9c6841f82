import { getLogger } from '#core';
import type { ServerHttp2Session, ServerSessionOptions } from 'node:http2';
import type { ListenerLimits } from './listener-options.ts';

const log = getLogger('transport.http');

/** Streams that one connection may have at a time. */
const maxStreams = 100;
/** Requests that a client may give up at once, and how many more each second. */
const freeResets = 200;
const resetsPerSecond = 10;
/** Error codes of RFC 9113, 7. */
export const errorCodes = { none: 0, internal: 2, cancel: 8, calm: 11 } as const;

/**
 * What every session keeps to by itself (http-safety R15): one that asks for more than these limits is ended with
 * GOAWAY. CONTINUATION frames count toward the size of the header list, and HPACK tables toward the memory.
 */
export function sessionOptions({ maxHeaderBytes, maxHeaders }: ListenerLimits): ServerSessionOptions {
  return {
    // Megabytes.
    maxSessionMemory: 10,
    // A few above the limit, so that it is the handler's refusal that a client sees, with the four pseudo fields.
    maxHeaderListPairs: maxHeaders + 8,
    maxSettings: 32,
    maxOutstandingPings: 10,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 50,
    streamResetBurst: freeResets,
    streamResetRate: resetsPerSecond,
    strictSingleValueFields: false,
    settings: {
      enablePush: false,
      enableConnectProtocol: false,
      maxConcurrentStreams: maxStreams,
      maxHeaderListSize: maxHeaderBytes,
    },
  };
}

/** Counts how often a client makes work for nothing, and ends its session when it is too often. */
export class ResetGuard {
  readonly #session: ServerHttp2Session;
  #tokens = freeResets;
  #last = performance.now();

  constructor(session: ServerHttp2Session) {
    this.#session = session;
  }

  /** A request was given up before its answer was complete. */
  gaveUp(): void {
    const now = performance.now();
    this.#tokens = Math.min(freeResets, this.#tokens + ((now - this.#last) / 1_000) * resetsPerSecond);
    this.#last = now;
    if (--this.#tokens >= 0 || this.#session.destroyed) return;
    log.debug({ peer: this.#session.socket.remoteAddress }, 'a client gave too many requests up');
    this.#session.goaway(errorCodes.calm);
    this.#session.destroy(undefined, errorCodes.calm);
  }
}
