import type { World } from '#artifacts';
import type { Problem } from '#errors';
import type { CompiledApi } from './artifact.ts';

/**
 * Warnings for APIs whose `port` no listener has. The port is compared with the `Host` header, so such an API is
 * reached only by clients whose header names that port, as behind a port mapping.
 *
 * @param ports the ports of the API listeners and of inbound endpoints
 */
export function findUnservedPorts(world: World, ports: readonly number[]): readonly Problem[] {
  return [...world.artifacts.values()].flatMap(({ artifact, compiled }): Problem[] => {
    if (artifact.kind !== 'api') return [];
    const { port } = (compiled as CompiledApi).definition;
    if (port === undefined || port < 0 || ports.includes(port)) return [];
    return [
      {
        code: 'MR_API_PORT_UNSERVED',
        severity: 'warning',
        message: `the API expects port ${port} in the Host header, and no listener has it`,
        position: artifact.position,
        hint: `APIs are served at ${ports.join(' and ')}`,
      },
    ];
  });
}
