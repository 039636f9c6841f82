import { createShelf, type Clock } from '#core';
import type { SessionShelf } from '#management';

/** Sessions in the memory of this process; those that are over go at every clean-up, and when there is no room. */
export function createSessionShelf(clock: Clock): SessionShelf & { readonly size: number } {
  const shelf = createShelf<Parameters<SessionShelf['keep']>[1]['value']>();
  let isWaiting = false;
  const sweepAfter = (milliseconds: number): void => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(milliseconds, () => {
      isWaiting = false;
      shelf.dropExpired(clock.now());
      if (shelf.size > 0) sweepAfter(milliseconds);
    });
  };
  return {
    keep(hash, session, settings) {
      if (shelf.size >= settings.maxSize) shelf.dropExpired(clock.now());
      sweepAfter(settings.cleanUpInterval);
      return shelf.keep(hash, session, settings);
    },
    find: (hash) => shelf.find(hash, clock.now()),
    drop: (hash) => shelf.drop(hash),
    get size() {
      return shelf.size;
    },
  };
}
