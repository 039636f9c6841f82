import { getLogger } from '#core';
import type { ServerAddress } from './context.ts';

const log = getLogger('server');

/** Says what is reachable from where. */
export function logAddresses(addresses: readonly ServerAddress[]): void {
  for (const { name, url, isPublic } of addresses) {
    log.info({ url, reachable: isPublic ? 'from everywhere' : 'from this machine only' }, `${name} is open`);
  }
}
