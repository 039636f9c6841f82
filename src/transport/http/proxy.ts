import { connect, type Socket } from 'node:net';
import { MillraceError } from '#errors';

/** A forward proxy that requests go through. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  /** User and password, for Basic authentication. */
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** Chooses the proxy for an origin; undefined for a direct connection. */
export type ProxySelector = (scheme: 'http' | 'https', host: string) => Proxy | undefined;

const maximumHeadBytes = 16_384;

/** The value of `Proxy-Authorization` (RFC 7617); undefined without credentials. */
export function proxyAuthorization({ credentials }: Proxy): string | undefined {
  if (!credentials) return undefined;
  return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
}

/**
 * Opens a tunnel to `authority` (RFC 9110, 9.3.6) and hands its socket or the failure to the callback, once.
 *
 * @param timeout milliseconds within which the tunnel must stand
 */
export function openTunnel(
  proxy: Proxy,
  { authority, timeout }: { readonly authority: string; readonly timeout: number },
  done: (error: Error | null, socket: Socket | null) => void,
): void {
  const socket = connect(proxy.port, proxy.host);
  let head = Buffer.alloc(0);
  const finish = (error: Error | null): void => {
    clearTimeout(timer);
    socket.off('data', read).off('error', finish).off('end', broken);
    if (error) socket.destroy();
    done(error, error ? null : socket);
  };
  const timer = setTimeout(() => finish(tunnelError('ETIMEDOUT', `no tunnel within ${timeout} ms`)), timeout);
  const broken = (): void => finish(tunnelError('ECONNRESET', 'the proxy closed the connection'));
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) {
      if (head.length > maximumHeadBytes) finish(tunnelError('ECONNREFUSED', 'the answer of the proxy has no end'));
      return;
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, end))?.[1];
    if (status?.startsWith('2') !== true) {
      finish(tunnelError('ECONNREFUSED', `the proxy answered CONNECT with ${status ?? 'something that is no HTTP'}`));
      return;
    }
    socket.pause();
    // What followed the head belongs to the tunnel.
    if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
    finish(null);
  };
  socket.on('data', read).on('error', finish).on('end', broken);
  const authorization = proxyAuthorization(proxy);
  const fields = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${fields}\r\n`);
}

function tunnelError(code: string, message: string): Error {
  return new MillraceError({ code, message });
}
