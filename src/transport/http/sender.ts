import type { Exchange, HttpSender, OutgoingRequest, ResponseHandler } from '../contract.ts';
import { ClientExchange } from './client-exchange.ts';
import { Http2Sender } from './http2-sender.ts';
import { sendWithNtlm } from './ntlm-exchange.ts';
import { Origin } from './origin.ts';
import { connectError } from './sender-errors.ts';
import { defaultSenderOptions, tlsForOrigin, type HttpSenderOptions, type SenderTls } from './sender-options.ts';

/** Origins kept at the same time; beyond this the connections of unused ones are closed. */
const maximumOrigins = 1_000;

/** A sender whose key material can be replaced while it works. */
export interface PooledHttpSender extends HttpSender {
  /** Uses other key material from the next request on; what is under way ends on its old connections. */
  setTls(tls: SenderTls): void;
}

/** Makes a sender with one pool of HTTP/1.1 connections per origin. */
export function createHttpSender(options: HttpSenderOptions = {}): PooledHttpSender {
  return new PooledSender({ ...defaultSenderOptions, ...options });
}

class PooledSender implements PooledHttpSender {
  #options: Required<HttpSenderOptions>;
  readonly #origins = new Map<string, Origin>();
  readonly #http2 = new Http2Sender((request, handler) => this.send({ ...request, prefersHttp2: false }, handler));

  constructor(options: Required<HttpSenderOptions>) {
    this.#options = options;
  }

  send(request: OutgoingRequest, handler: ResponseHandler): Exchange {
    if (request.ntlm) {
      const tls = tlsForOrigin(request.origin, this.#options.tls);
      return sendWithNtlm(request, handler, { ...this.#options, tls });
    }
    if (request.prefersHttp2 && /^https?:/i.test(request.origin)) {
      return this.#http2.send(request, handler, () => this.#optionsOf(request.origin));
    }
    let origin = this.#origins.get(request.origin);
    if (!origin) {
      try {
        origin = this.#open(request.origin);
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        handler.onError(connectError(request.origin, cause));
        return { abort: () => undefined };
      }
    }
    const exchange = new ClientExchange(origin, request, handler);
    exchange.start();
    return exchange;
  }

  setTls(tls: SenderTls): void {
    this.#options = { ...this.#options, tls };
    this.#http2.closeSecure();
    for (const [name, origin] of this.#origins) {
      if (!name.startsWith('https:')) continue;
      this.#origins.delete(name);
      origin.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http2.destroy();
    for (const origin of this.#origins.values()) origin.destroy();
    this.#origins.clear();
  }

  #open(name: string): Origin {
    if (!/^https?:/i.test(name)) throw new TypeError('this is no address of HTTP');
    if (this.#origins.size >= maximumOrigins) this.#closeUnused();
    const origin = new Origin(name, this.#optionsOf(name));
    this.#origins.set(name, origin);
    return origin;
  }

  #optionsOf(name: string): Required<HttpSenderOptions> {
    return { ...this.#options, tls: tlsForOrigin(name, this.#options.tls) };
  }

  #closeUnused(): void {
    for (const [name, origin] of this.#origins) {
      if (!origin.isIdle) continue;
      this.#origins.delete(name);
      origin.close();
    }
  }
}
