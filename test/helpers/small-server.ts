import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server on a free port of this machine that can be ended although clients hold connections. */
export interface SmallServer extends AsyncDisposable {
  readonly port: number;
  /** Connections that there were. */
  readonly connections: number;
}

/** Has a server listen; `event` is the one that brings a socket, which for TLS is `secureConnection`. */
export async function openSmallServer(
  server: Server,
  event: 'connection' | 'secureConnection' = 'connection',
): Promise<SmallServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on(event, (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
