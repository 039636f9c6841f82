import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type ConnectionOptions } from 'node:tls';
import { sharedBuffer } from './kept-bytes.ts';
import { openTunnel, type Proxy } from './proxy.ts';
import type { SenderTls } from './sender-options.ts';

/** What a connection hears of its socket. The bytes are only good until `received` returns when they are shared. */
export interface SocketUser {
  connected(): void;
  received(bytes: Buffer, isShared: boolean): void;
  ended(): void;
  drained(): void;
  closed(error: Error | undefined): void;
}

/** Opens connections to one origin. */
export interface Connector {
  /** The tunnel, the handshake and all: `connected` is called once a request can be sent. */
  open(user: SocketUser, take: (socket: Socket) => void): void;
}

export interface ConnectorOptions {
  readonly isSecure: boolean;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly proxy: Proxy | undefined;
  readonly connectTimeout: number;
  readonly tls: SenderTls;
}

/** A connection for one protocol of its own. */
export interface SocketOptions extends ConnectorOptions {
  /** Names of the protocols that are offered in the handshake of TLS, the preferred one first. */
  readonly protocols?: readonly string[];
}

const localHosts: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain', '127.0.0.1', '::1']);

/** Makes the connector of an origin, directly, or through a proxy: by a tunnel when the origin is secure. */
export function createConnector(options: ConnectorOptions): Connector {
  const { isSecure, host, port, proxy } = options;
  if (!isSecure) return plainConnector(proxy?.host ?? host, proxy?.port ?? port);
  const settings = tlsSettings(host, options.tls);
  return {
    open(user, take) {
      if (!proxy) {
        take(attach(connectTls({ ...settings, host, port }), user, 'secureConnect'));
        return;
      }
      const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      openTunnel(proxy, { authority, timeout: options.connectTimeout }, (error, tunnel) => {
        if (tunnel) take(attach(connectTls({ ...settings, socket: tunnel }), user, 'secureConnect'));
        else user.closed(error ?? undefined);
      });
    },
  };
}

/**
 * Opens one socket that is the caller's alone, through the proxy by a tunnel, and hands it or the failure to the
 * callback, once.
 *
 * @returns gives up
 */
export function openSocket(
  options: SocketOptions,
  done: (error: Error | null, socket: Socket | null) => void,
): () => void {
  const { isSecure, host, port, proxy, connectTimeout: timeout } = options;
  let socket: Socket | undefined;
  let isOver = false;
  const finish = (error: Error | null): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    if (error) socket?.destroy();
    done(error, error ? null : (socket ?? null));
  };
  const watch = (opened: Socket, readyEvent: 'connect' | 'secureConnect'): void => {
    socket = opened;
    opened.setNoDelay(true);
    opened.once(readyEvent, () => finish(null));
    opened.on('error', finish);
    opened.once('close', () => finish(new Error('the connection was closed before it stood')));
  };
  const begin = (tunnel: Socket | undefined): void => {
    const settings = {
      ...tlsSettings(host, options.tls, options.protocols),
      ...(tunnel ? { socket: tunnel } : { host, port }),
    };
    if (isSecure) return watch(connectTls(settings), 'secureConnect');
    if (!tunnel) return watch(connect({ host, port }), 'connect');
    socket = tunnel;
    return finish(null);
  };
  const limit = timeout > 0 ? timeout : undefined;
  const timer =
    limit &&
    setTimeout(
      () => finish(Object.assign(new Error(`no connection within ${limit} ms`), { code: 'ETIMEDOUT' })),
      limit,
    );
  if (proxy) {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    openTunnel(proxy, { authority, timeout }, (error, tunnel) => {
      if (error) finish(error);
      else if (isOver) tunnel?.destroy();
      else begin(tunnel ?? undefined);
    });
  } else begin(undefined);
  return () => finish(new Error('given up'));
}

function plainConnector(host: string, port: number): Connector {
  return {
    open(user, take) {
      const onread = {
        buffer: sharedBuffer,
        callback(length: number): boolean {
          user.received(sharedBuffer.subarray(0, length), true);
          return true;
        },
      };
      take(attach(connect({ host, port, noDelay: true, onread }), user, 'connect'));
    },
  };
}

function attach(socket: Socket, user: SocketUser, readyEvent: 'connect' | 'secureConnect'): Socket {
  let failure: Error | undefined;
  socket.once(readyEvent, () => user.connected());
  if (readyEvent === 'secureConnect') {
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => user.received(bytes, false));
  }
  socket.on('drain', () => user.drained());
  socket.on('end', () => user.ended());
  socket.on('error', (error) => (failure = error));
  socket.on('close', () => user.closed(failure));
  return socket;
}

function tlsSettings(
  host: string,
  { verifier = 'strict', acceptsAnyCertificate = false, key, cert, ca, ...rest }: SenderTls,
  protocols: readonly string[] = ['http/1.1'],
): ConnectionOptions {
  return {
    ...rest,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(key === undefined ? {} : { key }),
    ...(cert === undefined ? {} : { cert }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ALPNProtocols: [...protocols],
    rejectUnauthorized: !acceptsAnyCertificate,
    checkServerIdentity: (name, certificate) => {
      if (verifier === 'allow-all') return undefined;
      if (verifier === 'default-and-localhost' && localHosts.has(host)) return undefined;
      return checkServerIdentity(name || host, certificate);
    },
  };
}
