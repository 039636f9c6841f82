import { WebSocketServer } from 'ws';
import type { HttpRequest } from '../contract.ts';
import type { WebSocketHandshake } from './handshake.ts';
import type { WebSocketLimits } from './limits.ts';
import { WebSocketLink } from './link.ts';

type UpgradeRequest = Parameters<WebSocketServer['handleUpgrade']>[0];

/**
 * Answers a handshake with 101 and takes the connection.
 *
 * @param protocol the subprotocol that is agreed to, one of those in the handshake; none when undefined
 * @returns undefined when the client has its answer already or is gone
 */
export function acceptWebSocket(
  request: HttpRequest,
  handshake: WebSocketHandshake,
  { protocol, limits }: { readonly protocol: string | undefined; readonly limits: WebSocketLimits },
): WebSocketLink | undefined {
  const taken = request.upgrade?.take();
  if (!taken) return undefined;
  const { socket, rest } = taken;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.maxPayloadBytes,
    // Compression costs memory for each connection, and a small message may become a large one.
    perMessageDeflate: false,
    handleProtocols: () => protocol ?? false,
  });
  const headers: Record<string, string> = {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-key': handshake.key,
    'sec-websocket-version': '13',
  };
  // What is agreed to was decided before; the names may be of a kind that would be refused here.
  if (protocol !== undefined) headers['sec-websocket-protocol'] = 'decided';
  const asked = { method: 'GET', url: request.target, headers, socket } as unknown as UpgradeRequest;
  let link: WebSocketLink | undefined;
  // All of it happens at once: the handshake was examined before.
  server.handleUpgrade(asked, socket, Buffer.from(rest), (accepted) => (link = new WebSocketLink(accepted, limits)));
  return link;
}
