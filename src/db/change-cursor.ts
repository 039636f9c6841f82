import type { Clock } from '#core';
import { lastChange, readChanges, readChangesAt, type ChangeRecord } from './change-log.ts';
import type { Database } from './database.ts';

/** Reads the change log from a place on, every change once. */
export interface ChangeCursor {
  /** What has come since the last call, oldest first; at most some hundreds, and empty when there is nothing more. */
  next(): Promise<readonly ChangeRecord[]>;
}

/** Most changes of one reading. */
const batch = 500;

/** How long a number that was left out is waited for: longer than any transaction may take. */
const patience = 60_000;

/** Most numbers that are waited for at a time. */
const missingLimit = 1000;

/**
 * Opens a cursor at the end of the log. Two transactions may commit in another order than that of their numbers, so a
 * number that is left out is looked for again until it comes, or until no transaction can still bring it.
 */
export async function openChangeCursor(database: Database, clock: Clock): Promise<ChangeCursor> {
  let after = await lastChange(database);
  const missing = new Map<number, number>();
  const present = new Set((await readChanges(database, after - batch, batch)).map(({ sequence }) => sequence));
  for (let number = Math.max(1, after - batch + 1); number < after; number++) {
    if (!present.has(number)) missing.set(number, clock.now());
  }

  const late = async (): Promise<readonly ChangeRecord[]> => {
    const now = clock.now();
    for (const [number, since] of missing) if (now - since > patience) missing.delete(number);
    if (missing.size === 0) return [];
    const found = await readChangesAt(database, [...missing.keys()]);
    for (const { sequence } of found) missing.delete(sequence);
    return found;
  };

  return {
    async next() {
      const found = await late();
      const fresh = await readChanges(database, after, batch);
      const now = clock.now();
      for (const { sequence } of fresh) {
        for (let number = after + 1; number < sequence && missing.size < missingLimit; number++) {
          missing.set(number, now);
        }
        after = sequence;
      }
      return [...found, ...fresh];
    },
  };
}
