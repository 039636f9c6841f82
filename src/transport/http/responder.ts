import { MillraceError } from '#errors';
import { getHeader, type Body, type HeaderList } from '#message';
import type { HttpResponder, ResponseHead } from '../contract.ts';
import { asksToClose, sentHeaders } from '../hop-by-hop.ts';
import { announcementOf } from '../trailers.ts';
import { BodyWriter, writeJoined, type BodyWriterOwner, type OutgoingFraming } from './body-writer.ts';
import { isFieldText, writeFieldLines } from './field-lines.ts';
import { holdWrites } from './held-writes.ts';
import { httpDate } from './http-date.ts';
import { reasonPhrase } from './reason-phrase.ts';
import { allowedMethods, type Refusal } from './refusal.ts';
import type { ServerConnection } from './server-connection.ts';

/** What an answer needs to know of its request. */
export interface AnsweredRequest {
  readonly method: string;
  readonly version: '1.0' | '1.1';
  /** True when the client can use the connection again. */
  readonly keepsConnection: boolean;
  /** True when the client takes fields behind the body. */
  readonly acceptsTrailers: boolean;
}

/** Writes the answer to one request over HTTP/1. */
export class Http1Responder implements HttpResponder, BodyWriterOwner {
  readonly #connection: ServerConnection;
  readonly #request: AnsweredRequest;
  #isAnswered = false;
  #isGone = false;
  #isLast = false;
  #goneListeners: (() => void)[] | undefined;
  #writer: BodyWriter | undefined;

  constructor(connection: ServerConnection, request: AnsweredRequest) {
    this.#connection = connection;
    this.#request = request;
  }

  get finished(): boolean {
    return this.#isAnswered || this.#isGone;
  }

  /** True when the answer has begun, and no interim one may be sent any more. */
  get hasBegun(): boolean {
    return this.#isAnswered;
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener();
    else (this.#goneListeners ??= []).push(listener);
  }

  respond(head: ResponseHead, body: Body): void {
    if (this.finished) {
      cancelBody(body);
      return;
    }
    const { socket, requestBody } = this.#connection;
    // An answer that is made of the request's own body needs it first.
    if (body !== null && body === requestBody) this.#connection.permitBody();
    const isBodiless = this.#isBodiless(head.status);
    const length = this.#lengthOf(head, body, isBodiless);
    const framing = length !== undefined ? 'length' : isBodiless ? 'none' : this.#unsizedFraming();
    this.#isLast = framing === 'close' || this.#mustClose(head);
    const text = `${this.#headText(head, length, framing)}${this.#trailerLine(body, framing)}\r\n`;
    this.#isAnswered = true;
    holdWrites(socket);
    if (body === null || isBodiless) {
      socket.write(text, 'latin1');
      cancelBody(body);
      this.bodyWritten();
    } else if (body instanceof Uint8Array) {
      writeJoined(socket, text, body);
      this.bodyWritten();
    } else {
      this.#writer = new BodyWriter(socket, body, {
        head: text,
        framing: framing === 'none' ? 'length' : framing,
        owner: this,
        sendsTrailers: this.#request.acceptsTrailers,
      });
      this.#writer.start();
    }
  }

  /** Answers on behalf of the transport and closes the connection. */
  refuse({ status, reason }: Refusal): void {
    const headers = ['Content-Type', 'text/plain', 'Connection', 'close'];
    if (status === 405) headers.push('Allow', allowedMethods);
    this.respond({ status, headers }, Buffer.from(reason));
  }

  /** The client takes more. */
  drained(): void {
    this.#writer?.drained();
  }

  bodyWritten(): void {
    this.#writer = undefined;
    this.#connection.answered(this.#isLast);
  }

  /** A body that cannot be completed must not look complete: the connection ends here. */
  bodyBroke(): void {
    this.#connection.destroy();
  }

  /** Another protocol is the answer. */
  handedOver(): void {
    this.#isAnswered = true;
    this.#goneListeners = undefined;
  }

  /** The connection is over before the answer was complete. */
  closed(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#writer?.cancel();
    for (const listener of this.#goneListeners ?? []) listener();
    this.#goneListeners = undefined;
  }

  #headText(head: ResponseHead, length: number | undefined, framing: OutgoingFraming | 'none'): string {
    const { status, headers, reason = reasonPhrase(status) } = head;
    if (!Number.isInteger(status) || status < 200 || status > 999) {
      throw invalidHead(`The status ${status} cannot be sent to a client`);
    }
    const fields = sentHeaders(headers);
    const lines = writeFieldLines(fields);
    if (lines === undefined || !isFieldText(reason)) {
      throw invalidHead('The response has a header field that cannot be sent');
    }
    return `HTTP/1.1 ${status} ${reason}\r\n${lines}${this.#ownLines(fields, length, framing)}`;
  }

  /** Announces what may stand behind the body, for a client that takes it. */
  #trailerLine(body: Body, framing: OutgoingFraming | 'none'): string {
    if (framing !== 'chunks' || !this.#request.acceptsTrailers) return '';
    const announced = announcementOf(body);
    return announced === '' ? '' : `Trailer: ${announced}\r\n`;
  }

  /** The lines that the transport itself adds. */
  #ownLines(fields: Readonly<HeaderList>, length: number | undefined, framing: OutgoingFraming | 'none'): string {
    const { serverHeader } = this.#connection.context;
    let lines = length === undefined ? '' : `Content-Length: ${length}\r\n`;
    if (framing === 'chunks') lines += 'Transfer-Encoding: chunked\r\n';
    if (this.#isLast) lines += 'Connection: close\r\n';
    else if (this.#request.version === '1.0') lines += 'Connection: keep-alive\r\n';
    if (getHeader(fields, 'Date') === undefined) lines += `Date: ${httpDate()}\r\n`;
    if (serverHeader !== undefined && getHeader(fields, 'Server') === undefined) lines += `Server: ${serverHeader}\r\n`;
    return lines;
  }

  #isBodiless(status: number): boolean {
    return this.#request.method === 'HEAD' || status === 204 || status === 205 || status === 304;
  }

  /** The `Content-Length` to declare (RFC 9110, 8.6); `undefined` where none may or can be. */
  #lengthOf({ status, headers }: ResponseHead, body: Body, isBodiless: boolean): number | undefined {
    if (status === 204) return undefined;
    if (status === 205) return 0;
    if (body !== null) return body.length;
    if (!isBodiless) return 0;
    // What a body would have measured, as the back end said it of a HEAD request or an unchanged resource.
    const declared = getHeader(headers, 'Content-Length');
    return declared !== undefined && /^\d+$/.test(declared) ? Number(declared) : undefined;
  }

  #unsizedFraming(): 'chunks' | 'close' {
    return this.#request.version === '1.1' ? 'chunks' : 'close';
  }

  #mustClose({ headers }: ResponseHead): boolean {
    const { context, requestBody: body, isAwaited } = this.#connection;
    if (!this.#request.keepsConnection || context.isClosing() || asksToClose(headers)) return true;
    if (!body) return false;
    return isAwaited || (body.isAbandoned && (body.length ?? 0) > context.limits.maxUnreadBytes);
  }
}

function cancelBody(body: Body): void {
  if (body !== null && !(body instanceof Uint8Array)) body.cancel();
}

function invalidHead(message: string): MillraceError {
  return new MillraceError({ code: 'MR_HTTP_INVALID_RESPONSE', message });
}
