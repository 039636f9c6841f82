import type { Exchange, OutgoingRequest, ResponseHandler } from '../contract.ts';
import { Http2Origin } from './http2-origin.ts';
import { connectError } from './sender-errors.ts';
import type { HttpSenderOptions } from './sender-options.ts';

/** Origins kept at the same time; beyond this the connections of unused ones are closed. */
const maximumOrigins = 1_000;

/** Sends requests over HTTP/2 where the back end speaks it, with connections of each origin. */
export class Http2Sender {
  readonly #fallBack: (request: OutgoingRequest, handler: ResponseHandler) => Exchange;
  readonly #origins = new Map<string, Http2Origin>();

  /** @param fallBack sends by HTTP/1.1, where the back end chooses it */
  constructor(fallBack: (request: OutgoingRequest, handler: ResponseHandler) => Exchange) {
    this.#fallBack = fallBack;
  }

  /** @param optionsOf what holds for an origin that was not used before */
  send(request: OutgoingRequest, handler: ResponseHandler, optionsOf: () => Required<HttpSenderOptions>): Exchange {
    let origin = this.#origins.get(request.origin);
    if (!origin) {
      try {
        origin = new Http2Origin(request.origin, optionsOf(), this.#fallBack);
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        handler.onError(connectError(request.origin, cause));
        return { abort: () => undefined };
      }
      if (this.#origins.size >= maximumOrigins) this.#closeWhere((_, { isIdle }) => isIdle);
      this.#origins.set(request.origin, origin);
    }
    return origin.send(request, handler);
  }

  /** Connections over TLS take no further request: what is under way ends on its old ones. */
  closeSecure(): void {
    this.#closeWhere((name) => name.startsWith('https:'));
  }

  /** Ends everything at once. */
  destroy(): void {
    for (const origin of this.#origins.values()) origin.destroy();
    this.#origins.clear();
  }

  #closeWhere(test: (name: string, origin: Http2Origin) => boolean): void {
    for (const [name, origin] of this.#origins) {
      if (!test(name, origin)) continue;
      this.#origins.delete(name);
      origin.close();
    }
  }
}
