import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import type { buildConnector } from 'undici';
import createUndiciConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { openTunnel, proxyAuthorization, type Proxy } from './proxy.ts';
import { rememberBytesRead } from './sender-errors.ts';
import type { HttpSenderOptions, SenderTls } from './sender-options.ts';

const localHosts: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain', '127.0.0.1', '::1']);

/** The connections to one origin, and how many exchanges use or await them. */
export class Origin {
  readonly pool: Pool;
  readonly idleTimeout: number;
  readonly keepAlive: boolean;
  /** Fixes the name for TLS to the origin's own, whatever `Host` a message carries. */
  readonly dispatchOptions: { readonly servername?: string };
  /** What a plain request needs to pass its proxy. */
  readonly proxyHeaders: readonly string[];
  /** Scheme and authority before each target, which a plain request to a proxy has. */
  readonly #prefix: string;
  readonly #connections: number;
  readonly #limit: number;
  #inFlight = 0;

  constructor(origin: string, options: Required<HttpSenderOptions>) {
    const { connectionsPerOrigin, queueLimit, keepAliveTimeout, idleTimeout } = options;
    const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
    this.idleTimeout = idleTimeout;
    this.keepAlive = options.keepAlive;
    this.dispatchOptions = origin.startsWith('https:') ? { servername: host } : {};
    const isSecure = origin.startsWith('https:');
    const proxy = options.proxy(isSecure ? 'https' : 'http', host.toLowerCase());
    const authorization = proxy && !isSecure ? proxyAuthorization(proxy) : undefined;
    this.proxyHeaders = authorization === undefined ? [] : ['Proxy-Authorization', authorization];
    this.#prefix = proxy && !isSecure ? origin : '';
    this.#connections = connectionsPerOrigin;
    this.#limit = connectionsPerOrigin + queueLimit;
    this.pool = new Pool(origin, {
      connections: connectionsPerOrigin,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout,
      keepAliveMaxTimeout: keepAliveTimeout,
      ...(options.connectionLifespan > 0 ? { clientTtl: options.connectionLifespan } : {}),
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
      maxHeaderSize: options.maxHeaderBytes,
      connect: createConnector(host, options, proxy),
    });
  }

  /** The target as it goes on the wire: absolute on the way to a proxy (RFC 9112, 3.2.2). */
  targetOf(target: string): string {
    return this.#prefix !== '' && target.startsWith('/') ? this.#prefix + target : target;
  }

  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  /** Counts one more exchange in, unless there are too many. */
  admit(): 'ready' | 'waits' | 'full' {
    if (this.#inFlight >= this.#limit) return 'full';
    this.#inFlight++;
    return this.#inFlight > this.#connections ? 'waits' : 'ready';
  }

  release(): void {
    this.#inFlight--;
  }
}

function createConnector(
  host: string,
  { connectTimeout, tls }: Required<HttpSenderOptions>,
  proxy: Proxy | undefined,
): buildConnector.connector {
  const connect = createUndiciConnector({ timeout: connectTimeout, allowH2: false, ...tlsConnectOptions(tls) });
  const name = isIP(host) === 0 ? host : undefined;
  return (options, callback) => {
    const { servername: _fromHostField, ...rest } = options;
    const fixed = name === undefined ? rest : { ...rest, servername: name };
    const finish: buildConnector.Callback = (...outcome) => {
      const [, socket] = outcome;
      socket?.prependListener('error', (error) => rememberBytesRead(error, socket.bytesRead));
      callback(...outcome);
    };
    if (!proxy) connect(fixed, finish);
    else if (options.protocol !== 'https:') {
      connect({ ...fixed, hostname: proxy.host, host: proxy.host, port: String(proxy.port) }, finish);
    } else {
      const authority = `${host.includes(':') ? `[${host}]` : host}:${options.port || '443'}`;
      openTunnel(proxy, { authority, timeout: connectTimeout }, (error, socket) => {
        if (error) finish(error, null);
        else connect({ ...fixed, ...(socket ? { httpSocket: socket } : {}) }, finish);
      });
    }
  };
}

function tlsConnectOptions({ verifier = 'strict', key, cert, ca, ...rest }: SenderTls): buildConnector.BuildOptions {
  return {
    ...rest,
    ...(key === undefined ? {} : { key }),
    ...(cert === undefined ? {} : { cert }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    checkServerIdentity: (host, certificate) => {
      if (verifier === 'allow-all') return undefined;
      if (verifier === 'default-and-localhost' && localHosts.has(host)) return undefined;
      return checkServerIdentity(host, certificate);
    },
  };
}
