import { getLogger } from '#core';
import { connectAmqp, type AmqpAddress, type AmqpConnection } from '#transport';
import type { Pauses } from '../background/pause.ts';

const log = getLogger('mediation.broker');

/** How a cluster of RabbitMQ is reached. */
export interface RabbitmqMembers {
  /** The members of a cluster, in the order in which they are tried. */
  readonly addresses: readonly AmqpAddress[];
  /** Milliseconds between attempts to connect, and how many follow the first. */
  readonly retryInterval: number;
  readonly retryCount: number;
}

/** Tries each member, and all of them again after a while (mediators 9.1). @throws what the last attempt threw */
export async function connectRabbitmq(
  { addresses, retryInterval, retryCount }: RabbitmqMembers,
  pauses: Pauses,
): Promise<AmqpConnection> {
  let failure: unknown;
  for (let attempt = 0; attempt <= retryCount; attempt++) {
    for (const address of addresses) {
      try {
        return await connectAmqp(address);
      } catch (error) {
        failure = error;
        log.debug({ err: error, broker: `${address.host}:${address.port}`, attempt }, 'a broker could not be reached');
      }
    }
    if (pauses.isStopped) break;
    if (attempt < retryCount) await pauses.wait(retryInterval);
  }
  throw failure;
}
