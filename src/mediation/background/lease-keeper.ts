import { getLogger, type Lease } from '#core';
import type { LiveContext } from './live.ts';

const log = getLogger('mediation.background');

/** Milliseconds for which a lease is taken, and after which it is renewed or asked for again. */
const leaseTime = 30_000;
const renewalTime = 10_000;

/**
 * Runs something on one node of a cluster at a time: `begin` when this node gets the lease, and the end of what it
 * gave when the lease is lost or the keeper disposed, after which the lease is given back. `onRound` is called at each
 * renewal.
 */
export function keepLease(
  { id, services }: LiveContext,
  begin: () => AsyncDisposable,
  onRound: () => Promise<void> = () => Promise.resolve(),
): AsyncDisposable {
  const { clock, background } = services;
  let lease: Lease | undefined;
  let running: AsyncDisposable | undefined;
  let isEnded = false;
  let cancelTimer = (): void => undefined;

  const end = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    await ending?.[Symbol.asyncDispose]();
  };

  const round = async (): Promise<void> => {
    try {
      await onRound();
      const leases = await background.leases();
      lease = lease
        ? await leases.renew(lease, leaseTime)
        : await leases.acquire({ name: id, holder: background.holder, ttl: leaseTime });
    } catch (error) {
      // Without its database nobody knows who holds the lease: what ran goes on only as long as it is surely ours.
      log.error({ err: error, artifact: id }, 'the lease cannot be renewed');
      if (lease && lease.expiresAt - clock.now() <= renewalTime) lease = undefined;
    }
    if (isEnded) return;
    if (lease && !running) {
      log.debug({ artifact: id, fencing: lease.fencing }, 'this node runs it');
      running = begin();
    }
    if (!lease && running) {
      log.warn({ artifact: id }, 'another node has taken over');
      await end();
    }
    cancelTimer = clock.after(renewalTime, next);
  };
  let current = Promise.resolve();
  const next = (): void => {
    current = round();
  };
  next();

  return {
    async [Symbol.asyncDispose]() {
      isEnded = true;
      cancelTimer();
      await current;
      await end();
      if (lease) await (await background.leases()).release(lease);
    },
  };
}
