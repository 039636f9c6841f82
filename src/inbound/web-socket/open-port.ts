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
  return endingWith(opened, () => clients.close(shutdown));
}

/** Ends something, and then more. */
export function endingWith(first: AsyncDisposable | undefined, last: () => Promise<void>): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await first?.[Symbol.asyncDispose]();
      await last();
    },
  };
}
