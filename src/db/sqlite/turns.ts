import type { Clock } from '#core';
import { MillraceError } from '#errors';

/** Lets one piece of work after the other have the writing connection. */
export interface Turns {
  /**
   * Waits for its turn.
   *
   * @returns ends the turn; must be called once
   * @throws MillraceError `MR_DB_BUSY` (503) when it is not there within the limit
   */
  take(): Promise<() => void>;
  /** A turn at once, when nobody has one; undefined otherwise. */
  tryTake(): (() => void) | undefined;
  /** Whether somebody has the connection. */
  isTaken(): boolean;
}

/** Makes turns; `limit` is the longest wait in milliseconds. */
export function createTurns(limit: number, clock: Clock): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const end = (): void => {
    const next = waiting.shift();
    if (next) next();
    else isTaken = false;
  };
  const tryTake = (): (() => void) | undefined => {
    if (isTaken) return undefined;
    isTaken = true;
    return end;
  };
  return {
    tryTake,
    isTaken: () => isTaken,
    take() {
      const free = tryTake();
      if (free) return Promise.resolve(free);
      return new Promise((resolve, reject) => {
        const begin = (): void => {
          cancel();
          resolve(end);
        };
        const cancel = clock.after(limit, () => {
          waiting.splice(waiting.indexOf(begin), 1);
          reject(busyError(limit));
        });
        waiting.push(begin);
      });
    },
  };
}

/** The refusal of work whose turn did not come within `limit` milliseconds. */
export function busyError(limit: number): MillraceError {
  return new MillraceError({
    code: 'MR_DB_BUSY',
    status: 503,
    message: 'The database is busy',
    detail: `a transaction has been running for more than ${limit} ms`,
  });
}
