import type { Socket } from 'node:net';
import type { Peer } from '../contract.ts';
import type { Exchange } from './exchange.ts';

/** What a listener knows of one open connection. */
export interface Connection {
  readonly peer: Peer;
  readonly localPort: number;
  /** Requests that are not answered completely yet, in their order. */
  readonly exchanges: Exchange[];
  /** When the last exchange ended, on the monotonic clock. */
  idleSince: number;
  isRefused: boolean;
}

/** The open connections of a listener. */
export class Connections {
  readonly #bySocket = new Map<Socket, Connection>();

  /** The record of a connection, made when it is first seen. */
  of(socket: Socket): Connection {
    let connection = this.#bySocket.get(socket);
    if (!connection) {
      connection = {
        peer: { address: plainAddress(socket.remoteAddress ?? ''), port: socket.remotePort ?? 0 },
        localPort: socket.localPort ?? 0,
        exchanges: [],
        idleSince: performance.now(),
        isRefused: false,
      };
      this.#bySocket.set(socket, connection);
      socket.once('close', () => this.#bySocket.delete(socket));
    }
    return connection;
  }

  /** Destroys the connections that have been idle for at least `milliseconds`. */
  destroyIdle(milliseconds: number): void {
    const before = performance.now() - milliseconds;
    for (const [socket, { exchanges, idleSince }] of this.#bySocket) {
      if (exchanges.length === 0 && idleSince <= before) socket.destroy();
    }
  }

  destroyAll(): void {
    for (const socket of this.#bySocket.keys()) socket.destroy();
  }
}

/** Writes an IPv4 address that was mapped into IPv6 as itself. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
