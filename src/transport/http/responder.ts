import type { IncomingMessage, ServerResponse } from 'node:http';
import { MillraceError } from '#errors';
import { getHeader, type Body, type BodySource, type HeaderList } from '#message';
import type { HttpResponder, ResponseHead } from '../contract.ts';
import { asksToClose, copyHeaders } from '../hop-by-hop.ts';
import { reasonPhrase } from './reason-phrase.ts';
import { allowedMethods, type Refusal } from './refusal.ts';
import type { RequestBody } from './request-body.ts';
import { ResponseSink } from './response-sink.ts';

/** A body up to this length is joined with the head. */
const joinedBytes = 8_192;
const lingerMilliseconds = 2_000;

/** What a listener decides for all its responders. */
export interface ResponderPolicy {
  /** True when connections are to be closed after their present response. */
  isClosing(): boolean;
  readonly serverHeader: string | undefined;
  readonly maxUnreadBytes: number;
}

/** One exchange on a connection. */
export interface ResponderParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: RequestBody | null;
}

/** Writes the answer to one request over HTTP/1. */
export class Http1Responder implements HttpResponder {
  readonly #policy: ResponderPolicy;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #requestBody: RequestBody | null;
  #isAnswered = false;
  #isGone = false;
  #isWritten = false;
  #goneListeners: (() => void)[] = [];
  #source: BodySource | undefined;

  constructor(policy: ResponderPolicy, { request, response, body }: ResponderParts) {
    this.#policy = policy;
    this.#request = request;
    this.#response = response;
    this.#requestBody = body;
  }

  get finished(): boolean {
    return this.#isAnswered || this.#isGone;
  }

  /** True when the whole answer was handed to the connection. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener();
    else this.#goneListeners.push(listener);
  }

  respond(head: ResponseHead, body: Body): void {
    if (this.finished) {
      cancelBody(body);
      return;
    }
    // An answer that is made of the request's own body needs it first.
    if (body !== null && body === this.#requestBody) this.#requestBody.permit();
    const length = this.#lengthOf(head, body);
    const fields = copyHeaders(head.headers, { isSent: true });
    if (length !== undefined) fields.push('Content-Length', String(length));
    if (this.#mustClose(head)) fields.push('Connection', 'close');
    const { serverHeader } = this.#policy;
    if (serverHeader !== undefined && getHeader(fields, 'Server') === undefined) fields.push('Server', serverHeader);
    this.#writeHead(head, fields);
    this.#isAnswered = true;
    if (body === null || this.#isBodiless(head.status)) {
      cancelBody(body);
      this.#end();
    } else if (body instanceof Uint8Array) {
      this.#end(body);
    } else {
      this.#source = body;
      new ResponseSink(this.#response, body, (lastChunk) => this.#end(lastChunk)).start();
    }
  }

  /** Answers on behalf of the transport and closes the connection. */
  refuse({ status, reason }: Refusal): void {
    const headers = ['Content-Type', 'text/plain', 'Connection', 'close'];
    if (status === 405) headers.push('Allow', allowedMethods);
    this.respond({ status, headers }, Buffer.from(reason));
  }

  /** The exchange is over: either everything was written or the client has gone. */
  closed(): void {
    if (this.#response.writableFinished || this.#isGone) return;
    this.#isGone = true;
    this.#source?.cancel();
    for (const listener of this.#goneListeners) listener();
    this.#goneListeners = [];
  }

  #writeHead({ status, reason }: ResponseHead, fields: HeaderList): void {
    if (!Number.isInteger(status) || status < 200 || status > 999) {
      throw invalidHead(`The status ${status} cannot be sent to a client`);
    }
    try {
      this.#response.writeHead(status, reason ?? reasonPhrase(status), fields);
    } catch (error) {
      throw invalidHead('The response has a header field that cannot be sent', error);
    }
  }

  #isBodiless(status: number): boolean {
    return this.#request.method === 'HEAD' || status === 204 || status === 205 || status === 304;
  }

  /** The `Content-Length` to declare (RFC 9110, 8.6); `undefined` where none may or can be. */
  #lengthOf({ status, headers }: ResponseHead, body: Body): number | undefined {
    if (status === 204) return undefined;
    if (status === 205) return 0;
    if (body !== null) return body.length;
    if (!this.#isBodiless(status)) return 0;
    // What a body would have measured, as the back end said it of a HEAD request or an unchanged resource.
    const declared = getHeader(headers, 'Content-Length');
    return declared !== undefined && /^\d+$/.test(declared) ? Number(declared) : undefined;
  }

  #mustClose({ headers }: ResponseHead): boolean {
    if (this.#policy.isClosing() || asksToClose(headers)) return true;
    const body = this.#requestBody;
    if (!body) return false;
    return body.isAwaited || (body.isAbandoned && (body.length ?? 0) > this.#policy.maxUnreadBytes);
  }

  /** Ends the response; a request body that nobody reads is discarded first, within limits, so that no reset cuts the answer off. */
  #end(lastChunk?: Uint8Array): void {
    this.#isWritten = true;
    const body = this.#requestBody;
    if (!body || body.isAwaited || !body.isAbandoned) {
      if (!lastChunk) this.#response.end();
      else if (lastChunk.length > joinedBytes) this.#response.end(lastChunk);
      // Node joins a text with the head to one write; ISO-8859-1 keeps every byte.
      else this.#response.end(latin1(lastChunk), 'latin1');
      return;
    }
    if (lastChunk) this.#response.write(lastChunk);
    else this.#response.flushHeaders();
    this.#linger();
  }

  #linger(): void {
    let discarded = 0;
    const finish = (isClosing: boolean): void => {
      clearTimeout(timer);
      if (this.#response.writableEnded) return;
      this.#response.end(() => {
        if (isClosing) this.#request.socket.destroySoon();
      });
    };
    const timer = setTimeout(finish, lingerMilliseconds, true).unref();
    this.#request
      .on('data', (chunk: Uint8Array) => {
        discarded += chunk.length;
        if (discarded > this.#policy.maxUnreadBytes) finish(true);
      })
      .on('end', () => finish(false))
      .on('error', () => clearTimeout(timer));
  }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function cancelBody(body: Body): void {
  if (body !== null && !(body instanceof Uint8Array)) body.cancel();
}

function invalidHead(message: string, cause?: unknown): MillraceError {
  return new MillraceError({
    code: 'MR_HTTP_INVALID_RESPONSE',
    message,
    ...(cause instanceof Error ? { detail: cause.message, cause } : {}),
  });
}
