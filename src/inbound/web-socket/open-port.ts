import type { LiveContext, PortRequest } from '#mediation';
import { SocketClients } from './socket-clients.ts';
import type { SocketSettings } from './socket-parameters.ts';

/** Opens a port that takes WebSockets; its end sends the clients away. */
export async function openSocketPort(
  port: PortRequest,
  { workers, shutdown }: SocketSettings,
  { services }: LiveContext,
): Promise<AsyncDisposable> {
  const clients = new SocketClients(workers);
  const opened = await services.ports?.open({ ...port, clients });
  return {
    async [Symbol.asyncDispose]() {
      await opened?.[Symbol.asyncDispose]();
      await clients.close(shutdown);
    },
  };
}
