import type { Clock } from '#core';
import type { Database } from '#db';
import type { User } from '../users/users.ts';
import type { Channel } from './recovery.ts';

/** How many notices a user gets within a time: enough for who needs them, too few for a nuisance or a guess. */
const limits: readonly { readonly most: number; readonly within: number }[] = [
  { most: 5, within: 15 * 60_000 },
  { most: 15, within: 24 * 60 * 60_000 },
];

/** Counts what was sent to users, on all nodes. */
export interface SentNotices {
  /** Notes one more notice; false when the user had too many of them lately, on this channel. */
  admit(user: User, channel: Channel): Promise<boolean>;
}

export function createSentNotices(database: Database, clock: Clock): SentNotices {
  return {
    admit: ({ tenant, id }, channel) =>
      database.transaction(async (transaction) => {
        const now = clock.now();
        const longest = Math.max(...limits.map(({ within }) => within));
        await transaction.run('DELETE FROM mr_recovery_notice WHERE sent < ?', [now - longest]);
        for (const { most, within } of limits) {
          const row = await transaction.get(
            'SELECT COUNT(*) AS sent FROM mr_recovery_notice WHERE tenant = ? AND user_id = ? AND channel = ? AND sent >= ?',
            [tenant.id, id, channel, now - within],
          );
          if (Number(row?.['sent']) >= most) return false;
        }
        const sql = 'INSERT INTO mr_recovery_notice (tenant, user_id, channel, sent) VALUES (?, ?, ?, ?)';
        await transaction.run(sql, [tenant.id, id, channel, now]);
        return true;
      }),
  };
}
