import type { Socket } from 'node:net';
import type { Peer } from '../contract.ts';

/** The far end of a socket; an IPv4 address that was mapped into IPv6 is written as itself. */
export function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): Peer {
  const isMapped = remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.');
  return { address: isMapped ? remoteAddress.slice(7) : remoteAddress, port: remotePort };
}
