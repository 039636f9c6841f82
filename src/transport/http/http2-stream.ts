import type { ServerHttp2Stream } from 'node:http2';
import { getLogger } from '#core';
import { MillraceError } from '#errors';
import { getHeader, type Body, type BodySink, type BodySource } from '#message';
import type { HttpRequest, HttpResponder, Peer, ResponseHead } from '../contract.ts';
import { sentHeaders } from '../hop-by-hop.ts';
import { wheel, type Timed } from './deadline-wheel.ts';
import { writeFieldLines } from './field-lines.ts';
import type { Http2Head } from './http2-request.ts';
import { errorCodes } from './http2-session.ts';
import { IncomingBody, type BodyChannel } from './incoming-body.ts';
import { allowedMethods, type Refusal } from './refusal.ts';
import { announcedTrailers, completeTrailers, fieldsByName } from '../trailers.ts';
import { ServerClock } from './server-clock.ts';
import type { ServerContext } from './server-context.ts';

const log = getLogger('transport.http');
const never = Number.POSITIVE_INFINITY;
/** Milliseconds after which a connection that was full is looked at again. */
const lookAgain = 20;
/** Milliseconds that an answer waits at most for the rest of its request. */
const longestHold = 250;

/** One request over HTTP/2 and its answer. */
export class Http2Stream implements HttpResponder, BodyChannel, BodySink, Timed {
  wheelTick = -1;
  readonly #stream: ServerHttp2Stream;
  readonly #context: ServerContext;
  readonly #clock: ServerClock;
  #method = '';
  #body: IncomingBody | undefined;
  #source: BodySource | undefined;
  /** Bytes of the answer's body that are still owed. */
  #left = never;
  /** An answer that waits for the rest of its request, and the end of that wait. */
  #held: { readonly send: () => void; readonly timer: NodeJS.Timeout } | undefined;
  /** Bytes that an answer waits for. */
  #spare = 65_536;
  #isAwaited = false;
  #isHeld = true;
  #isAnswered = false;
  #isComplete = false;
  #isGone = false;
  #goneListeners: (() => void)[] = [];

  constructor(stream: ServerHttp2Stream, context: ServerContext, onClosed: (isComplete: boolean) => void) {
    this.#stream = stream;
    this.#context = context;
    this.#clock = new ServerClock(context.limits);
    stream.on('drain', () => {
      this.#clock.traffic();
      this.#source?.resume();
    });
    // Its end follows at once.
    stream.on('error', (error) => log.debug({ error: error.message }, 'HTTP/2 stream failed'));
    stream.on('close', () => {
      this.#closed();
      onClosed(this.#isComplete);
    });
    wheel.schedule(this, this.#clock.deadline('answer'));
  }

  get finished(): boolean {
    return this.#isAnswered || this.#isGone;
  }

  /** Hands the request to the handler of the listener. */
  dispatch(head: Http2Head, place: { hasBody: boolean; peer: Peer; localPort: number }): void {
    const { method, target, headers, bodyLength, acceptsTrailers } = head;
    const { hasBody, peer, localPort } = place;
    this.#method = method;
    this.#isAwaited = head.expectsContinue && hasBody;
    const body = hasBody ? new IncomingBody(this, bodyLength) : undefined;
    this.#body = body;
    if (body) this.#receive(body, head.trailer);
    const { scheme, handler } = this.#context;
    const facts = { method, target, headers, body: body ?? null, peer, scheme, localPort };
    const request: HttpRequest = { ...facts, version: '2', acceptsTrailers };
    try {
      handler(request, this);
    } catch (error) {
      log.error({ err: error, method }, 'request handler failed');
      this.refuse({ status: 500, reason: 'Internal error' });
    }
  }

  /** Answers on behalf of the transport. */
  refuse({ status, reason }: Refusal): void {
    const headers = ['content-type', 'text/plain', ...(status === 405 ? ['allow', allowedMethods] : [])];
    if (!this.finished) this.respond({ status, headers }, Buffer.from(reason));
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener();
    else this.#goneListeners.push(listener);
  }

  respond(head: ResponseHead, body: Body): void {
    if (this.finished) {
      if (body !== null && !(body instanceof Uint8Array)) body.cancel();
      return;
    }
    const { status } = head;
    const isBodiless = this.#method === 'HEAD' || status === 204 || status === 205 || status === 304;
    const hasBody = body !== null && !isBodiless;
    const fields = this.#fieldsOf(head, hasBody || body !== null ? (body?.length ?? undefined) : undefined);
    if (body === this.#body) this.#permit();
    const isWhole = !hasBody || body instanceof Uint8Array;
    if (isWhole && this.#body?.isAbandoned && !this.#isAwaited) this.#hold(fields, hasBody ? body : null);
    else this.#send(fields, hasBody ? body : null);
    this.#isAnswered = true;
    if (!hasBody && body !== null && !(body instanceof Uint8Array)) body.cancel();
  }

  /**
   * Sends an answer when the rest of a small request has come that nobody reads. Answers before that would let a client
   * open streams faster than those that have ended are gone here, which the limit of streams refuses.
   */
  #hold(fields: string[], body: Body): void {
    const timer = setTimeout(() => this.#release(), longestHold);
    timer.unref();
    this.#held = { send: () => this.#send(fields, body), timer };
    this.#body?.cancel();
  }

  #release(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    clearTimeout(held.timer);
    if (this.#isGone || this.#stream.destroyed) return;
    try {
      held.send();
    } catch (error) {
      log.error({ err: error, method: this.#method }, 'an answer could not be sent');
      this.#break();
    }
  }

  #send(fields: string[], body: Body): void {
    const waitForTrailers = body !== null && !(body instanceof Uint8Array) && body.length === undefined;
    try {
      if (waitForTrailers) this.#stream.on('wantTrailers', () => this.#sendTrailers(body));
      this.#stream.respond(fields, { endStream: body === null, waitForTrailers });
    } catch (cause) {
      throw invalidHead('The response has a header field that cannot be sent', cause);
    }
    this.#clock.begin();
    this.#clock.traffic();
    if (body === null) {
      this.#completed();
    } else if (body instanceof Uint8Array) {
      this.#stream.end(body, () => this.#completed());
    } else {
      this.#source = body;
      this.#left = body.length ?? never;
      body.pipe(this);
    }
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isGone) return true;
    this.#left -= chunk.length;
    if (this.#left >= 0) return this.#stream.write(chunk);
    this.#break();
    return true;
  }

  end(): void {
    if (this.#left > 0 && this.#left !== never) this.#break();
    else if (!this.#isGone) this.#stream.end(() => this.#completed());
  }

  /** A body that cannot be completed must not look complete. */
  fail(): void {
    this.#break();
  }

  bodyWanted(): void {
    this.#permit();
  }

  pauseBody(): void {
    this.#isHeld = true;
    this.#stream.pause();
  }

  resumeBody(): void {
    if (this.#isHeld) this.#clock.beginBody();
    this.#isHeld = false;
    this.#stream.resume();
    wheel.schedule(this, this.#deadline());
  }

  bodyGivenUp(): void {
    this.resumeBody();
  }

  due(now: number): number {
    const until = this.#deadline();
    if (until > now) return until;
    if (!this.#isAnswered && !this.#clock.isSilent) {
      this.refuse({ status: 408, reason: 'The request was not complete in time' });
    } else {
      this.#stream.close(errorCodes.cancel);
    }
    return this.#stream.destroyed ? never : now + 1_000;
  }

  #deadline(): number {
    if (!this.#body || this.#body.isOver || this.#isAnswered) return this.#clock.deadline('answer');
    return this.#clock.deadline(this.#isHeld || this.#isAwaited ? 'held body' : 'body');
  }

  #receive(body: IncomingBody, trailer: string | undefined): void {
    body.trailers = announcedTrailers(trailer);
    this.#stream.on('trailers', (_: unknown, ...[, fields]: readonly [flags: number, fields: readonly string[]]) => {
      if (body.trailers) body.trailers = completeTrailers(body.trailers, [...fields]);
    });
    this.#clock.beginBody();
    this.#stream.on('data', (chunk: Buffer) => {
      this.#clock.traffic();
      this.#clock.bodyRead(chunk.length);
      body.push(chunk, false);
      if (this.#held && (this.#spare -= chunk.length) < 0) this.#release();
    });
    this.#stream.on('end', () => {
      if (!this.#stream.aborted) body.settle('complete');
      this.#release();
    });
    this.#stream.pause();
  }

  /** Lets a client that waits for it send the body. */
  #permit(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    if (!this.#isAnswered) this.#stream.additionalHeaders({ ':status': 100 });
  }

  /** The fields of an answer, names and values in turn. */
  #fieldsOf({ status, headers }: ResponseHead, length: number | undefined): string[] {
    const fields = sentHeaders(headers);
    const isSendable = Number.isInteger(status) && status >= 200 && status <= 999;
    if (!isSendable || writeFieldLines(fields) === undefined) {
      throw invalidHead('The response has a status or header field that cannot be sent');
    }
    const lines = [':status', String(status)];
    for (const [index, text] of fields.entries()) lines.push(index % 2 === 0 ? text.toLowerCase() : text);
    const declared = getHeader(headers, 'content-length');
    const size = length ?? (this.#method === 'HEAD' && /^\d+$/.test(declared ?? '') ? Number(declared) : undefined);
    if (size !== undefined && status !== 204) lines.push('content-length', String(size));
    const { serverHeader } = this.#context;
    if (serverHeader !== undefined && getHeader(fields, 'server') === undefined) lines.push('server', serverHeader);
    return lines;
  }

  /** Ends the answer with what stands behind its body. */
  #sendTrailers({ trailers }: BodySource): void {
    const fields = trailers?.fields ?? [];
    this.#stream.sendTrailers(writeFieldLines(fields) === undefined ? {} : fieldsByName(fields));
  }

  /** The answer is complete; a client that still sends its request is told that nobody needs it. */
  #completed(): void {
    this.#isComplete = true;
    if (this.#body && !this.#body.isOver) setImmediate(() => this.#dismiss());
  }

  /** Resets the stream when the answer is on the wire: the head of an answer that still waits is dropped by a reset. */
  #dismiss(): void {
    const { session } = this.#stream;
    if (this.#isGone || session === undefined) return;
    if (session.destroyed || (session.state.outboundQueueSize ?? 0) === 0) this.#stream.close(errorCodes.none);
    else setTimeout(() => this.#dismiss(), lookAgain).unref();
  }

  #break(): void {
    this.#source?.cancel();
    this.#stream.close(errorCodes.internal);
  }

  #closed(): void {
    wheel.remove(this);
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#held?.timer);
    this.#held = undefined;
    this.#body?.settle(
      new MillraceError({
        code: 'MR_HTTP_CLIENT_GONE',
        status: 400,
        message: 'The client went away before its request was complete',
      }),
    );
    if (this.#isComplete) return;
    this.#source?.cancel();
    for (const listener of this.#goneListeners) listener();
  }
}

function invalidHead(message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: 'MR_HTTP_INVALID_RESPONSE', message, cause });
}
