import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#core';
import type { Database, Transaction } from '#db';
import { tokenColumns } from './token-rows.ts';

/** Tables of what is dead after a time, each found by an index on it. */
const tables = [
  { table: 'mr_token', ends: 'gone_at' },
  { table: 'mr_authorization_code', ends: 'expires' },
  { table: 'mr_refresh_former', ends: 'expires' },
  { table: 'mr_assertion_used', ends: 'expires' },
] as const;

/** How long what has ended stays, so that late answers can still say that it ended. */
const grace = 60_000;

/** Rows of one transaction: so few that nobody waits for it. */
const batch = 200;

const copied = tokenColumns.map((name) => (name === 'state' ? "'EXPIRED'" : name)).join(', ');
const copy =
  `INSERT INTO mr_token_audit (${tokenColumns.join(', ')}, invalidated) ` +
  `SELECT ${copied}, ? FROM mr_token WHERE gone_at <= ?`;

/** Claims that requests named, of tokens that are gone. */
const claimsWithoutTokens =
  'DELETE FROM mr_token_claims WHERE noted < ? AND NOT EXISTS ' +
  "(SELECT 1 FROM mr_token WHERE mr_token.family = mr_token_claims.family AND mr_token.family <> '')";

export interface SweepSettings {
  /** Copies tokens to the audit table before they go. */
  readonly retainsForAudit: boolean;
}

/**
 * Removes tokens that ended on both sides, and used codes; gives how many rows went. Each transaction takes some rows
 * only, and whatever else waits comes between two of them.
 */
export async function sweepTokens(database: Database, clock: Clock, settings: SweepSettings): Promise<number> {
  let count = 0;
  const now = clock.now();
  for (const { table, ends } of tables) {
    const next = `SELECT ${ends} AS ends FROM ${table} WHERE ${ends} < ? ORDER BY ${ends} LIMIT 1 OFFSET`;
    const removal = `DELETE FROM ${table} WHERE ${ends} <= ?`;
    for (;;) {
      // The last row of a batch is its border; where fewer are left, the time itself is.
      const border = await database.get(`${next} ${batch - 1}`, [now - grace]);
      const until = border === undefined ? now - grace - 1 : Number(border['ends']);
      count += await database.transaction(async (transaction: Transaction) => {
        if (table === 'mr_token' && settings.retainsForAudit) await transaction.run(copy, [now, until]);
        return (await transaction.run(removal, [until])).changes;
      });
      if (border === undefined) break;
      await setImmediate();
    }
  }
  count += await database.transaction(
    async (transaction) => (await transaction.run(claimsWithoutTokens, [now - grace])).changes,
  );
  return count;
}
