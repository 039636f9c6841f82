import type { IncomingMessage, ServerResponse } from 'node:http';
import { MillraceError } from '#errors';
import type { BodySink, BodySource } from '#message';

/** The body of an incoming request; reading begins when somebody pipes it. */
export class RequestBody implements BodySource {
  readonly length: number | undefined;
  readonly #request: IncomingMessage;
  #sink: BodySink | undefined;
  #continueVia: ServerResponse | undefined;
  #isCancelled = false;

  /** @param continueVia where `100 Continue` is sent before reading, when the client waits for it */
  constructor(request: IncomingMessage, length: number | undefined, continueVia: ServerResponse | undefined) {
    this.#request = request;
    this.length = length;
    this.#continueVia = continueVia;
  }

  /** True while the client still waits for the permission to send the body. */
  get isAwaited(): boolean {
    return this.#continueVia !== undefined;
  }

  /** True when bytes may still arrive that nobody reads. */
  get isAbandoned(): boolean {
    return !this.#request.complete && (this.#sink === undefined || this.#isCancelled);
  }

  /** Lets a client that waits for it send the body, unless it has its answer already. */
  permit(): void {
    if (this.#continueVia?.headersSent === false) this.#continueVia.writeContinue();
    this.#continueVia = undefined;
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    this.permit();
    this.#request
      .on('data', (chunk: Buffer) => {
        if (!this.#isCancelled && !sink.write(chunk)) this.#request.pause();
      })
      .on('end', () => {
        if (this.#isCancelled) return;
        this.#isCancelled = true;
        sink.end();
      })
      .on('error', (cause) => {
        this.fail(clientGoneError(cause));
      });
  }

  resume(): void {
    this.#request.resume();
  }

  cancel(): void {
    this.#isCancelled = true;
    if (this.#sink) this.#request.resume();
  }

  /** Ends the body early: whoever reads it learns that it is not complete. */
  fail(error: MillraceError): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#sink?.fail(error);
  }
}

/** What the reader of a request body learns when the client left before its end. */
export function clientGoneError(cause: Error): MillraceError {
  return new MillraceError({
    code: 'MR_HTTP_CLIENT_GONE',
    status: 400,
    message: 'The client went away before its request was complete',
    cause,
  });
}
