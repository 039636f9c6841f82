import { createHash } from 'node:crypto';
import type { Clock } from '#core';
import { isConstraintViolation, type Database } from '#db';

/** Remembers assertions that may come once only, for all nodes (RFC 7523 §3, identity 3.5, 3.6). */
export interface UsedAssertions {
  /** False when the same assertion of the same issuer came before. `expires` is in milliseconds since the epoch. */
  use(assertion: { readonly issuer: string; readonly id: string; readonly expires: number }): Promise<boolean>;
}

/** The assertions in the database, each until it has ended; the sweep removes them. */
export function createUsedAssertions(database: Database, clock: Clock): UsedAssertions {
  return {
    async use({ issuer, id, expires }) {
      const hash = createHash('sha256')
        .update(JSON.stringify([issuer, id]))
        .digest('hex');
      try {
        const sql = 'INSERT INTO mr_assertion_used (hash, expires) VALUES (?, ?)';
        await database.run(sql, [hash, Math.ceil(expires)]);
        return true;
      } catch (error) {
        if (!isConstraintViolation(error)) throw error;
      }
      // What ended may come again, as the identifier of another assertion; of several one gets it.
      const sql = 'UPDATE mr_assertion_used SET expires = ? WHERE hash = ? AND expires < ?';
      const { changes } = await database.run(sql, [Math.ceil(expires), hash, clock.now() - margin]);
      return changes === 1;
    },
  };
}

/** Milliseconds for which an assertion stays known after its end, since that is rounded to seconds. */
const margin = 60_000;
