import type { Clock } from '#core';
import type { Database } from '#db';

/** What is dead and may go, each found by an index; `?` is now. */
const deletions = [
  'DELETE FROM mr_token WHERE gone_at < ?',
  'DELETE FROM mr_authorization_code WHERE expires < ?',
  'DELETE FROM mr_refresh_former WHERE expires < ?',
  'DELETE FROM mr_assertion_used WHERE expires < ?',
] as const;

/** How long what has ended stays, so that late answers can still say that it ended. */
const grace = 60_000;

/** Removes tokens that ended on both sides, and used codes; gives how many rows went. */
export async function sweepTokens(database: Database, clock: Clock): Promise<number> {
  let count = 0;
  for (const sql of deletions) count += (await database.run(sql, [clock.now() - grace])).changes;
  return count;
}
