import type { Duplex } from 'node:stream';
import { MillraceError, type ProtocolState } from '#errors';
import type { Body, BodySource, HeaderList } from '#message';
import type { ListenerManners, ListenerTls } from './http/listener-options.ts';

export type { Body, BodySink, BodySource, HeaderList } from '#message';

/** The far end of a connection. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}

/** A request as the listener hands it to the runtime. */
export interface HttpRequest {
  readonly method: string;
  /** Origin-form target exactly as on the wire: path and query, undecoded. */
  readonly target: string;
  readonly headers: HeaderList;
  /** `null` when the message has no entity. */
  readonly body: BodySource | null;
  readonly peer: Peer;
  readonly scheme: 'http' | 'https';
  /** The port on which the request arrived. */
  readonly localPort: number;
  readonly version: '1.0' | '1.1' | '2';
  /** True when the client takes fields behind the body of the answer (`TE: trailers`). */
  readonly acceptsTrailers?: boolean | undefined;
  /** There when the client would rather speak another protocol (RFC 9110, 7.8). */
  readonly upgrade?: UpgradeOffer | undefined;
}

export interface ResponseHead {
  readonly status: number;
  /** Reason phrase; the standard one when absent. */
  readonly reason?: string | undefined;
  /** Without framing headers: the transport writes `Content-Length` or `Transfer-Encoding` itself. */
  readonly headers: HeaderList;
}

/** Where the one answer to a request goes. */
export interface HttpResponder {
  /** True once `respond` was called or the client has gone. */
  readonly finished: boolean;
  /**
   * Writes the answer. Callers make sure to call it once. A header value with CR, LF or NUL raises a `MillraceError`
   * before a byte is written, and the responder stays usable.
   */
  respond(head: ResponseHead, body: Body): void;
  /** Calls `listener` when the client goes away before the answer is complete. */
  onGone(listener: () => void): void;
}

/** Handles each request of a listener; must not throw. */
export type RequestHandler = (request: HttpRequest, responder: HttpResponder) => void;

/** A connection that speaks another protocol from now on. */
export interface TakenConnection {
  readonly socket: Duplex;
  /** What the client sent already behind its request. */
  readonly rest: Uint8Array;
}

/** A request that may be answered by speaking another protocol. Whoever does not want to handles it like any other. */
export interface UpgradeOffer {
  /** What the client asks for, as it wrote it. */
  readonly protocol: string;
  /**
   * Takes the connection instead of answering: the answer, and resuming the paused socket, are the taker's. Undefined
   * when there was an answer already or the client has gone.
   */
  take(): TakenConnection | undefined;
}

export interface HttpListener extends AsyncDisposable {
  readonly scheme: 'http' | 'https';
  /** The port that was really bound. */
  readonly port: number;
  readonly host: string;
  /** Stops accepting connections, lets what is in flight finish within `milliseconds`, then closes the rest. */
  drain(milliseconds: number): Promise<void>;
  /** Treats connections that are opened from now on by other settings of TLS; only HTTPS listeners have it. */
  setTls?(tls: ListenerTls): void;
  /** Treats connections that are opened from now on in another way. */
  setOptions?(options: ListenerManners): void;
}

/** Who a connection speaks for, where the far end asks by NTLM. */
export interface NtlmCredentials {
  readonly user: string;
  readonly password: string;
  readonly domain: string;
  /** Name of this machine. */
  readonly host: string;
}

/** A request to a back end. */
export interface OutgoingRequest {
  /** `http://host:port` or `https://host:port`: scheme and authority only, no path. */
  readonly origin: string;
  readonly method: string;
  /** Path and query as they go on the wire. */
  readonly target: string;
  /** Without framing and hop-by-hop headers; `Host` is derived from the origin when absent. */
  readonly headers: HeaderList;
  readonly body: Body;
  /** Milliseconds without any progress after which the exchange fails with a timeout; the sender's default when absent. */
  readonly idleTimeout?: number | undefined;
  /** Asks as the version before HTTP/1.1 does; whoever wants that also closes the connection. */
  readonly version?: '1.0' | undefined;
  /** Closes the connection after this exchange. */
  readonly close?: boolean | undefined;
  /** Speaks HTTP/2 where the back end does: over TLS it chooses, without TLS it is known to. */
  readonly prefersHttp2?: boolean | undefined;
  /** Asks for fields behind the body of the answer. */
  readonly acceptsTrailers?: boolean | undefined;
  /** Answers a challenge by NTLM, on a connection of its own. */
  readonly ntlm?: NtlmCredentials | undefined;
}

export interface IncomingResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderList;
  readonly body: BodySource | null;
}

/** Takes the outcome of one exchange: exactly one of the two is called, once. */
export interface ResponseHandler {
  onResponse(response: IncomingResponse): void;
  /** Failure before the response head; a failure afterwards reaches the body's sink. */
  onError(error: TransportError): void;
}

/** One request under way. */
export interface Exchange {
  /** Gives up; the handler hears of it as a `TransportError` unless it was called already. */
  abort(): void;
}

/** Sends requests over pooled connections, one pool per origin. */
export interface HttpSender extends AsyncDisposable {
  send(request: OutgoingRequest, handler: ResponseHandler): Exchange;
}

/** A failed exchange with a back end. `code` is the original's base code plus the protocol state. */
export class TransportError extends MillraceError {
  readonly baseCode: number;
  readonly state: ProtocolState;

  constructor(facts: { baseCode: number; state: ProtocolState; message: string; detail?: string; cause?: unknown }) {
    const { baseCode, state, ...rest } = facts;
    super({ ...rest, code: baseCode + state, status: 502 });
    this.baseCode = baseCode;
    this.state = state;
  }
}
