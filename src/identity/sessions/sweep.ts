import type { Clock } from '#core';
import type { Database } from '#db';

const deletions = [
  'DELETE FROM mr_session WHERE expires < ?',
  'DELETE FROM mr_waiting_request WHERE expires < ?',
  'DELETE FROM mr_pushed_request WHERE expires < ?',
  'DELETE FROM mr_device_code WHERE expires < ?',
] as const;

/** A device code stays for a while after its end, so that its device still hears `expired_token`. */
const grace = 10 * 60_000;

/** Removes sessions and requests that ended; gives how many rows went. */
export async function sweepSessions(database: Database, clock: Clock): Promise<number> {
  let count = 0;
  for (const sql of deletions) count += (await database.run(sql, [clock.now() - grace])).changes;
  const orphans = 'DELETE FROM mr_session_client WHERE session_id NOT IN (SELECT id FROM mr_session)';
  return count + (await database.run(orphans)).changes;
}
