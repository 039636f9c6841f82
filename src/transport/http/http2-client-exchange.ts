import { constants, type ClientHttp2Stream } from 'node:http2';
import { protocolStates, type ProtocolState } from '#errors';
import { getHeader, type BodySink, type HeaderList } from '#message';
import type { Exchange, OutgoingRequest, ResponseHandler, TransportError } from '../contract.ts';
import { copyHeaders, sentHeaders } from '../hop-by-hop.ts';
import { announcedTrailers, announcementOf, completeTrailers, fieldsByName } from '../trailers.ts';
import { wheel, type Timed } from './deadline-wheel.ts';
import { isToken, writeFieldLines } from './field-lines.ts';
import type { Http2ClientSession } from './http2-client-session.ts';
import { idempotent } from './idempotent.ts';
import { IncomingBody, type BodyChannel } from './incoming-body.ts';
import { isSendableTarget } from './request-text.ts';
import { abortedError, closedError, invalidRequestError, timeoutError, violationError } from './sender-errors.ts';

const never = Number.POSITIVE_INFINITY;
const maximumInformational = 32;

/** Fields of an event of a stream: by name, the flags of the frame, and as they came. */
type Received = readonly [byName: unknown, flags: number, raw: readonly string[]];

/** One request over HTTP/2 and the way back of its outcome. */
export class Http2ClientExchange implements Exchange, BodyChannel, BodySink, Timed {
  wheelTick = -1;
  readonly #request: OutgoingRequest;
  readonly #handler: ResponseHandler;
  readonly #timeout: number;
  /** Sends the request once more, on whichever connection there is; false when it was tried often enough. */
  readonly #repeat: (isLost: boolean) => boolean;
  #session: Http2ClientSession | undefined;
  #stream: ClientHttp2Stream | undefined;
  #state: ProtocolState = protocolStates.requestReady;
  #body: IncomingBody | undefined;
  #informational = 0;
  /** Bytes of the body that are still owed. */
  #left = never;
  #isSending = false;
  #isHeld = false;
  #isSettled = false;
  #isOver = false;
  #lastTraffic = wheel.now;

  constructor(
    request: OutgoingRequest,
    handler: ResponseHandler,
    options: { timeout: number; repeat: (isLost: boolean) => boolean },
  ) {
    this.#request = request;
    this.#handler = handler;
    this.#timeout = request.idleTimeout ?? options.timeout;
    this.#repeat = options.repeat;
    this.#watch();
  }

  /** Sends it on a connection. */
  start(session: Http2ClientSession, authority: string): void {
    const { body } = this.#request;
    const fields = this.#fields(authority);
    if (!fields) return this.fail(invalidRequestError(this.#request.origin));
    const isStreamed = body !== null && !(body instanceof Uint8Array);
    this.#session = session;
    let stream: ClientHttp2Stream;
    try {
      const waitForTrailers = isStreamed && body.length === undefined;
      stream = session.request(fields, { endStream: body === null, waitForTrailers });
    } catch (error) {
      return this.fail(closedError(this.#request.origin, this.#state, error instanceof Error ? error : undefined));
    }
    this.#stream = stream;
    this.#state = isStreamed ? protocolStates.requestBody : protocolStates.requestDone;
    this.#listen(stream);
    if (body instanceof Uint8Array) stream.end(body);
    else if (body) {
      this.#isSending = true;
      this.#left = body.length ?? never;
      stream.on('drain', () => {
        this.#moved();
        if (this.#isSending) body.resume();
      });
      stream.on('wantTrailers', () => {
        const trailers = body.trailers?.fields ?? [];
        stream.sendTrailers(writeFieldLines(trailers) === undefined ? {} : fieldsByName(trailers));
      });
      body.pipe(this);
    }
  }

  abort(): void {
    this.fail(abortedError(this.#request.origin));
  }

  /** Ends it for whoever waits for the next part of it. */
  fail(error: TransportError): void {
    if (this.#isOver) return;
    this.#finish();
    const stream = this.#stream;
    if (stream && !stream.closed) stream.close(constants.NGHTTP2_CANCEL);
    this.#body?.settle(error);
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#handler.onError(error);
  }

  write(chunk: Uint8Array): boolean {
    if (!this.#isSending || !this.#stream) return true;
    this.#moved();
    this.#left -= chunk.length;
    if (this.#left >= 0) return this.#stream.write(chunk);
    this.fail(abortedError(this.#request.origin, new Error('the body is longer than declared')));
    return true;
  }

  end(): void {
    if (!this.#isSending) return;
    this.#isSending = false;
    if (this.#left > 0 && this.#left !== never) {
      return this.fail(abortedError(this.#request.origin, new Error('the body is shorter than declared')));
    }
    if (this.#state < protocolStates.requestDone) this.#state = protocolStates.requestDone;
    this.#stream?.end();
  }

  bodyWanted(): void {
    // Reading goes on when the body says so.
  }

  pauseBody(): void {
    this.#isHeld = true;
    this.#stream?.pause();
  }

  resumeBody(): void {
    this.#isHeld = false;
    this.#moved();
    this.#watch();
    this.#stream?.resume();
  }

  bodyGivenUp(): void {
    this.fail(abortedError(this.#request.origin));
  }

  due(now: number): number {
    const until = this.#deadline();
    if (until > now) return until;
    this.fail(timeoutError(this.#request.origin, this.#state, this.#timeout));
    return never;
  }

  #listen(stream: ClientHttp2Stream): void {
    stream.on('headers', () => {
      this.#moved();
      if (++this.#informational > maximumInformational) this.#violated('too many informational responses');
    });
    stream.once('response', (...[, flags, raw]: Received) => this.#respond(raw, flags));
    stream.on('trailers', (...[, , raw]: Received) => {
      if (this.#body?.trailers) this.#body.trailers = completeTrailers(this.#body.trailers, [...raw]);
    });
    stream.on('error', (error) => this.#broke(stream, error));
    stream.on('close', () => this.#broke(stream, undefined));
  }

  #respond(raw: readonly string[], flags: number): void {
    const { method } = this.#request;
    const status = Number(raw[raw.indexOf(':status') + 1]);
    const fields = raw.filter((_, index) => !(raw[index & ~1] ?? '').startsWith(':'));
    this.#moved();
    if (!(status >= 200 && status <= 999)) return this.#violated('the status is not valid');
    const declared = getHeader(fields, 'content-length');
    if (declared !== undefined && !/^\d{1,15}$/.test(declared))
      return this.#violated('the Content-Length is not valid');
    const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    const length = method === 'HEAD' || declared === undefined ? undefined : Number(declared);
    this.#state = protocolStates.responseBody;
    if (hasBody) this.#receive(new IncomingBody(this, length), getHeader(fields, 'trailer'));
    else this.#complete();
    if (this.#isSettled) return;
    this.#isSettled = true;
    const headers: HeaderList = copyHeaders(fields);
    this.#handler.onResponse({ status, reason: '', headers, body: this.#body ?? null });
  }

  #receive(body: IncomingBody, trailer: string | undefined): void {
    const stream = this.#stream;
    this.#body = body;
    body.trailers = announcedTrailers(trailer);
    stream?.on('data', (chunk: Buffer) => {
      this.#moved();
      body.push(chunk, false);
    });
    stream?.on('end', () => {
      if (stream.aborted || stream.rstCode > 0) return;
      this.#complete();
      body.settle('complete');
    });
    this.pauseBody();
  }

  /** The response is complete; a back end that does not want the rest of the request has said so. */
  #complete(): void {
    this.#state = protocolStates.responseDone;
    this.#finish();
    if (this.#stream?.writableEnded === false) this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  /** The stream is over too early: what was not looked at is sent again. */
  #broke(stream: ClientHttp2Stream, error: Error | undefined): void {
    if (this.#isOver || stream !== this.#stream) return;
    const { origin, method, body } = this.#request;
    const isWhole = body === null || body instanceof Uint8Array;
    const isUnprocessed = this.#session?.isUnprocessed(stream) === true;
    const isLost = !isUnprocessed && idempotent.has(method) && this.#session?.isOver === true;
    if (!this.#isSettled && isWhole && (isUnprocessed || isLost) && this.#repeat(isLost)) {
      this.#isSettled = true;
      this.#finish();
      return;
    }
    this.fail(closedError(origin, this.#state, error));
  }

  #violated(reason: string): void {
    this.fail(violationError(this.#request.origin, this.#state, reason));
  }

  #finish(): void {
    this.#isOver = true;
    wheel.remove(this);
    const { body } = this.#request;
    const isUnread = this.#isSending || (!this.#stream && body !== null);
    this.#isSending = false;
    if (isUnread && body !== null && !(body instanceof Uint8Array)) body.cancel();
  }

  #fields(authority: string): string[] | undefined {
    const { origin, method, target, headers, body, acceptsTrailers } = this.#request;
    const fields = sentHeaders(headers);
    if (!isToken(method) || !target.startsWith('/') || !isSendableTarget(target)) return undefined;
    if (writeFieldLines(fields) === undefined) return undefined;
    const host = getHeader(fields, 'host') ?? authority;
    const lines = [':method', method, ':scheme', origin.split(':', 1)[0] ?? '', ':authority', host, ':path', target];
    for (let index = 0; index + 1 < fields.length; index += 2) {
      const name = (fields[index] ?? '').toLowerCase();
      if (name !== 'host') lines.push(name, fields[index + 1] ?? '');
    }
    if (acceptsTrailers) lines.push('te', 'trailers');
    if (body?.length !== undefined) lines.push('content-length', String(body.length));
    const announced = announcementOf(body);
    if (announced !== '') lines.push('trailer', announced);
    return lines;
  }

  #moved(): void {
    this.#lastTraffic = wheel.now;
    this.#session?.moved();
  }

  #watch(): void {
    if (this.#timeout > 0 && !this.#isOver) wheel.schedule(this, this.#deadline());
  }

  #deadline(): number {
    // While this side holds the exchange up, its time does not run.
    const isHeld = this.#isHeld || (this.#isSending && this.#stream?.writableNeedDrain === false);
    return (isHeld ? wheel.now : this.#lastTraffic) + this.#timeout;
  }
}
