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
): ConnectionOptions {
  return {
    ...rest,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(key === undefined ? {} : { key }),
    ...(cert === undefined ? {} : { cert }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: !acceptsAnyCertificate,
    checkServerIdentity: (name, certificate) => {
      if (verifier === 'allow-all') return undefined;
      if (verifier === 'default-and-localhost' && localHosts.has(host)) return undefined;
      return checkServerIdentity(name || host, certificate);
    },
  };
}
