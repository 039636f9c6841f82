import { getLogger, type Clock } from '#core';
import { connectAmqp, type AmqpAddress, type AmqpConnection } from '#transport';

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
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
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
    if (signal.aborted) break;
    if (attempt < retryCount) await pause(retryInterval, { clock, signal });
  }
  throw failure;
}

function pause(
  milliseconds: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
}
