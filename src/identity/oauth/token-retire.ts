import { randomUUID } from 'node:crypto';
import type { Transaction } from '#db';
import { rowValues, tokenSql, type StoredToken } from './token-rows.ts';
import type { TokenGround } from './token-store-parts.ts';
import type { TokenState } from './tokens.ts';

/** Which row ends, and as what. */
export interface Retirement {
  readonly token: StoredToken;
  readonly state: TokenState;
}

/** Takes a row out of the active ones (identity 4.6); false when it was not active any more. */
export async function retire(
  { settings, clock }: TokenGround,
  transaction: Transaction,
  { token, state }: Retirement,
): Promise<boolean> {
  const { record } = token;
  const stateId = randomUUID();
  if (!settings.cleansUp) return (await transaction.run(tokenSql.setState, [state, stateId, record.id])).changes > 0;
  // Of several who end a row one deletes it, and that one keeps the copy.
  const { changes } = await transaction.run(tokenSql.delete, [record.id]);
  if (changes === 0 || !settings.retainsForAudit) return changes > 0;
  const ended = { ...token, record: { ...record, state } };
  await transaction.run(tokenSql.audit, [...rowValues(ended, stateId), clock.now()]);
  return true;
}
