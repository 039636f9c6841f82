import type { World } from '#artifacts';
import type { CompiledInbound } from '../protocol.ts';
import { socketOf } from '../web-socket/web-socket.ts';
import { httpOf } from './http.ts';

/** The ports that inbound endpoints of a world open, without the offset of a server. */
export function findInboundPorts(world: World): readonly number[] {
  const endpoints = [...world.ofKind('inboundEndpoint').values()] as readonly CompiledInbound[];
  return endpoints.flatMap((endpoint) => (httpOf(endpoint) ?? socketOf(endpoint))?.port.port ?? []);
}
