import type { Dispatcher } from 'undici';
import { protocolStates, type ProtocolState } from '#errors';
import type { Body } from '#message';
import type { Exchange, OutgoingRequest, ResponseHandler, TransportError } from '../contract.ts';
import { copyHeaders } from '../hop-by-hop.ts';
import type { Origin } from './origin.ts';
import { gatherBody, gatheredBytes, OutgoingBody } from './outgoing-body.ts';
import { ResponseBody } from './response-body.ts';
import { readResponseHead } from './response-head.ts';
import {
  abortedError,
  isStaleConnection,
  noConnectionError,
  toTransportError,
  violationError,
} from './sender-errors.ts';

const maximumInformational = 32;
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);

/** One request and its response on their way through the wire engine. */
export class HttpExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #origin: Origin;
  readonly #request: OutgoingRequest;
  readonly #handler: ResponseHandler;
  #body: Body;
  #outgoing: OutgoingBody | undefined;
  #state: ProtocolState = protocolStates.requestReady;
  #controller: Dispatcher.DispatchController | undefined;
  #responseBody: ResponseBody | undefined;
  #informational = 0;
  #waitTimer: NodeJS.Timeout | undefined;
  #isReleased = true;
  #isRetried = false;
  /** True once the handler has heard of the outcome. */
  #isSettled = false;

  constructor(origin: Origin, request: OutgoingRequest, handler: ResponseHandler) {
    this.#origin = origin;
    this.#request = request;
    this.#handler = handler;
    this.#body = request.body;
  }

  /** Begins; a short body is gathered before a connection is taken. */
  start(): void {
    const body = this.#body;
    if (body === null || body instanceof Uint8Array || body.length === undefined || body.length > gatheredBytes) {
      this.#dispatch();
      return;
    }
    gatherBody(body, (outcome) => {
      if (this.#isSettled) return;
      if (outcome instanceof Error) {
        this.#settle(abortedError(this.#request.origin, outcome));
        return;
      }
      this.#body = outcome;
      this.#dispatch();
    });
  }

  abort(): void {
    const error = abortedError(this.#request.origin);
    if (!this.#isSettled) cancelBody(this.#body);
    this.#settle(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#waitTimer);
    this.#controller = controller;
    this.#state = isStream(this.#body) ? protocolStates.requestBody : protocolStates.requestHead;
    if (this.#isSettled) controller.abort(abortedError(this.#request.origin));
  }

  onRequestSent(): void {
    if (this.#state < protocolStates.requestDone) this.#state = protocolStates.requestDone;
  }

  onResponseStarted(): void {
    this.#state = protocolStates.responseHead;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, ...rest: [unknown, string?]): void {
    if (status < 200) {
      this.#state = protocolStates.requestDone;
      this.#informational++;
      if (this.#informational > maximumInformational) {
        controller.abort(violationError(this.#request.origin, 'too many informational responses'));
      }
      return;
    }
    if (this.#isSettled) return;
    this.#state = protocolStates.responseBody;
    const { headers, length, hasBody } = readResponseHead(controller.rawHeaders, status, this.#request.method);
    const body = hasBody ? new ResponseBody(controller, this.#request.origin, length) : null;
    this.#responseBody = body ?? undefined;
    this.#isSettled = true;
    this.#handler.onResponse({ status, reason: rest[1] ?? '', headers, body });
    if (body && !body.isPiped) controller.pause();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#responseBody?.push(chunk);
  }

  onResponseEnd(): void {
    this.#state = protocolStates.responseDone;
    this.#release();
    this.#responseBody?.settle('complete');
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    clearTimeout(this.#waitTimer);
    this.#release();
    if (this.#canRetry(error)) {
      this.#isRetried = true;
      this.#state = protocolStates.requestReady;
      this.#dispatch();
      return;
    }
    const mapped = this.#mapError(error);
    if (this.#responseBody) this.#responseBody.settle(mapped);
    else this.#settle(mapped);
  }

  #dispatch(): void {
    const { origin, method, target, headers, close, idleTimeout } = this.#request;
    const body = this.#body;
    const admission = this.#origin.admit();
    if (admission === 'full') {
      cancelBody(body);
      this.#settle(noConnectionError(origin, 'all connections are in use and the queue is full'));
      return;
    }
    this.#isReleased = false;
    const timeout = idleTimeout ?? this.#origin.idleTimeout;
    if (admission === 'waits' && timeout > 0) this.#limitWaiting(timeout);
    const fields = copyHeaders(headers, { isSent: true });
    if (isStream(body) && body.length !== undefined) fields.push('content-length', String(body.length));
    fields.push(...this.#origin.proxyHeaders);
    const outgoing = isStream(body) ? new OutgoingBody(body) : body;
    this.#outgoing = outgoing instanceof OutgoingBody ? outgoing : undefined;
    this.#origin.pool.dispatch(
      {
        path: this.#origin.targetOf(target),
        method,
        headers: fields,
        body: outgoing,
        headersTimeout: timeout,
        bodyTimeout: timeout,
        // Left open for HEAD, where undici decides by what the back end says.
        ...(close === true || !this.#origin.keepAlive ? { reset: true } : method === 'HEAD' ? {} : { reset: false }),
        ...this.#origin.dispatchOptions,
      },
      this,
    );
  }

  #limitWaiting(timeout: number): void {
    this.#waitTimer = setTimeout(() => {
      cancelBody(this.#body);
      this.#settle(noConnectionError(this.#request.origin, `no connection became free within ${timeout} ms`));
    }, timeout);
  }

  /** Only a request that can be repeated, on a connection that the far end had closed before it could answer. */
  #canRetry(error: Error): boolean {
    return (
      !this.#isRetried &&
      !this.#isSettled &&
      this.#state <= protocolStates.requestDone &&
      !isStream(this.#body) &&
      idempotent.has(this.#request.method) &&
      isStaleConnection(error)
    );
  }

  #mapError(error: Error): TransportError {
    const cause = this.#outgoing?.sourceError;
    if (cause) return abortedError(this.#request.origin, cause);
    return toTransportError(error, this.#state, this.#request.origin);
  }

  #settle(error: TransportError): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#waitTimer);
    this.#handler.onError(error);
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#origin.release();
  }
}

function isStream(body: Body): body is Exclude<Body, Uint8Array | null> {
  return body !== null && !(body instanceof Uint8Array);
}

function cancelBody(body: Body): void {
  if (isStream(body)) body.cancel();
}
