import { hostname, networkInterfaces } from 'node:os';

/**
 * What artifacts read of the server as if it were local entries (runtime-core 4.3): `SERVER_HOST`, the configured name
 * or else that of the machine, and `SERVER_IP`, its first address that others can reach.
 */
export function readServerIdentity(configured: string | undefined): ReadonlyMap<string, string> {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.filter(({ internal }) => !internal);
  const { address } = reachable.find(({ family }) => family === 'IPv4') ?? reachable[0] ?? { address: '127.0.0.1' };
  return new Map([
    ['SERVER_HOST', configured ?? hostname()],
    ['SERVER_IP', address],
  ]);
}
