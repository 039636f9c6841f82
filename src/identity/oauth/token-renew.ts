import type { Transaction } from '#db';
import { OAuthError } from './errors.ts';
import { insertPair, newPair } from './token-pair.ts';
import { retire } from './token-retire.ts';
import { storedToken, tokenSql, tupleOf, type StoredToken } from './token-rows.ts';
import type { TokenGround, TokenValues } from './token-store-parts.ts';
import type { IssuedTokens, TokenOrder } from './tokens.ts';

/** How a pair is renewed. */
export interface Renewal {
  /** The pair whose refresh token came. */
  readonly former: StoredToken;
  readonly order: TokenOrder;
  readonly values: TokenValues;
  /** The refresh token that goes on; a new one is made when undefined. */
  readonly refreshToken: string | undefined;
  /** When the lifetime of the refresh token began; now when absent. */
  readonly refreshIssuedAt?: number;
}

/**
 * Renews a pair by its refresh token (identity 3.4): the old row ends in the transaction that inserts the new one.
 *
 * @throws OAuthError `invalid_grant` when another request renewed it first
 */
export async function renewTokens(ground: TokenGround, renewal: Renewal): Promise<IssuedTokens> {
  const { former, order, values, refreshToken } = renewal;
  const tuple = tupleOf(order, ground.protection);
  const issuedAt = ground.clock.now();
  await ground.late.settled(tuple);
  const access = await values.access(issuedAt);
  const value = refreshToken ?? values.refresh(issuedAt);
  const refresh = { value, issuedAt: renewal.refreshIssuedAt ?? issuedAt };
  return ground.database.transaction(async (transaction) => {
    const ended = await retire(ground, transaction, { token: former, state: 'INACTIVE' });
    if (!ended) throw new OAuthError('invalid_grant', 'The refresh token was used already');
    const other = await transaction.get(tokenSql.active, [tuple]);
    if (other) await retire(ground, transaction, { token: storedToken(other), state: 'INACTIVE' });
    if (refreshToken === undefined) await rememberFormer(transaction, former, issuedAt);
    const inFamily = { ...order, family: former.record.family };
    return insertPair(transaction, newPair(ground, inFamily, { access, refresh, tuple, issuedAt }));
  });
}

/** Keeps the hash of a refresh token that is exchanged, so that its coming again is noticed (RFC 9700 §4.14). */
async function rememberFormer(
  transaction: Transaction,
  { record, refreshHash }: StoredToken,
  now: number,
): Promise<void> {
  if (refreshHash === null) return;
  const { family, tenantId, clientId, refreshIssuedAt = now, refreshLifetime = 0 } = record;
  const expires = refreshLifetime < 0 ? Number.MAX_SAFE_INTEGER : refreshIssuedAt + refreshLifetime;
  await transaction.run(tokenSql.former, [refreshHash, family, tenantId, clientId, now, expires]);
}
