import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { getLogger } from '#core';
import { isConstraintViolation, type SqlRow, type Transaction } from '#db';
import { toError } from '#errors';
import { OAuthError } from './errors.ts';
import { isRefreshGood } from './token-find.ts';
import { insertPair, newPair, type RefreshValue } from './token-pair.ts';
import { retire } from './token-retire.ts';
import { rowValues, storedToken, tokenSql, tupleOf, type StoredToken } from './token-rows.ts';
import { skewedNow, type TokenGround, type TokenValues } from './token-store-parts.ts';
import type { IssuedTokens, TokenOrder, TokenState } from './tokens.ts';
import { isLive, remaining } from './validity.ts';

/** An order with the values that are made for it, and its place among the active rows. */
interface Issue {
  readonly order: TokenOrder;
  readonly values: TokenValues;
  readonly tuple: string;
}

const log = getLogger('identity');

/** Milliseconds until a row that could not be written is tried again, times the number of tries. */
const retryPause = 100;

/**
 * Issues what a grant ordered: the live opaque token again where that is allowed, else a new pair that takes the place
 * of the old one in the same transaction (identity 4.4).
 *
 * @throws OAuthError `server_error` when other requests were faster each time
 */
export async function issueTokens(ground: TokenGround, order: TokenOrder, values: TokenValues): Promise<IssuedTokens> {
  const { database, recent, late, settings } = ground;
  const issue: Issue = { order, values, tuple: tupleOf(order, ground.protection) };
  if (recent.has(issue.tuple)) {
    await late.settled(issue.tuple);
    const again = reusable(ground, order, await database.get(tokenSql.active, [issue.tuple]));
    if (again) return again;
  } else {
    recent.add(issue.tuple);
    const first = await insertFirst(ground, issue);
    if (first) return first;
  }
  for (let attempt = 0; ; attempt++) {
    try {
      return await replaceActive(ground, issue);
    } catch (error) {
      if (!isConstraintViolation(error)) throw error;
      if (attempt >= settings.retries) {
        throw new OAuthError('server_error', 'The token could not be stored', { cause: error });
      }
    }
  }
}

/** Puts a new pair in the place of the active one. */
async function replaceActive(ground: TokenGround, issue: Issue): Promise<IssuedTokens> {
  const { order, values, tuple } = issue;
  const issuedAt = ground.clock.now();
  const access = await values.access(issuedAt);
  return ground.database.transaction(async (transaction: Transaction) => {
    const row = await transaction.get(tokenSql.active, [tuple]);
    const again = reusable(ground, order, row);
    if (again) return again;
    const former = row && storedToken(row);
    const refresh = refreshFor(ground, issue, { former, issuedAt });
    if (former) await retire(ground, transaction, { token: former, state: stateAfterIssue(ground, former) });
    return insertPair(transaction, newPair(ground, order, { access, refresh, tuple, issuedAt }));
  });
}

/** Inserts where nothing was; undefined when another request was faster. One statement needs no transaction. */
async function insertFirst(ground: TokenGround, { order, values, tuple }: Issue): Promise<IssuedTokens | undefined> {
  const issuedAt = ground.clock.now();
  const access = await values.access(issuedAt);
  const refresh = order.refreshLifetime === undefined ? undefined : { value: values.refresh(issuedAt), issuedAt };
  const { token, issued } = newPair(ground, order, { access, refresh, tuple, issuedAt });
  if (ground.late.hasRoom()) {
    const keys = [tuple, token.accessHash, ...(token.refreshHash === null ? [] : [token.refreshHash])];
    ground.late.add(keys, () => writeLate(ground, token));
    return issued;
  }
  try {
    await ground.database.run(tokenSql.insert, rowValues(token));
  } catch (error) {
    if (isConstraintViolation(error)) return undefined;
    throw error;
  }
  return issued;
}

/**
 * Writes a row whose token was given already. Where another node was faster both tokens are good: this one stands
 * beside the active row.
 */
async function writeLate({ database, settings }: TokenGround, token: StoredToken): Promise<void> {
  let stateId: string | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      await database.run(tokenSql.insert, rowValues(token, stateId));
      return;
    } catch (error) {
      if (attempt >= settings.retries) {
        const { id, clientId } = token.record;
        log.error({ err: toError(error), id, clientId }, 'a token that was given could not be stored');
        return;
      }
      if (isConstraintViolation(error)) stateId = randomUUID();
      else await pause(retryPause * (attempt + 1));
    }
  }
}

/** The live token of a row, to be given again, when everything allows it. */
function reusable(ground: TokenGround, order: TokenOrder, row: SqlRow | undefined): IssuedTokens | undefined {
  const { protection, settings } = ground;
  if (!row || order.form === 'jwt' || settings.renewsAccessToken) return undefined;
  const token = storedToken(row);
  const { record } = token;
  const now = skewedNow(ground);
  if (record.form === 'jwt' || !isLive(record.issuedAt, record.accessLifetime, now)) return undefined;
  const wantsRefresh = order.refreshLifetime !== undefined;
  if (wantsRefresh !== (token.refreshHash !== null)) return undefined;
  if (wantsRefresh && !isLive(record.refreshIssuedAt ?? 0, record.refreshLifetime ?? 0, now)) return undefined;
  const accessToken = protection.restore(token.accessValue);
  const refreshToken = wantsRefresh ? protection.restore(token.refreshValue) : undefined;
  if (accessToken === undefined || (wantsRefresh && refreshToken === undefined)) return undefined;
  return { record, accessToken, refreshToken, isReused: true };
}

/** The refresh token of a new pair: the old one's while that is good and readable, else a new one. */
function refreshFor(
  ground: TokenGround,
  { order, values }: Issue,
  { former, issuedAt }: { readonly former: StoredToken | undefined; readonly issuedAt: number },
): RefreshValue | undefined {
  if (order.refreshLifetime === undefined) return undefined;
  const isKept = former !== undefined && isRefreshGood(ground, former.record);
  const kept = isKept ? ground.protection.restore(former.refreshValue) : undefined;
  if (kept !== undefined) return { value: kept, issuedAt: former?.record.refreshIssuedAt ?? issuedAt };
  return { value: values.refresh(issuedAt), issuedAt };
}

function stateAfterIssue(ground: TokenGround, { record }: StoredToken): TokenState {
  if (remaining(record.issuedAt, record.accessLifetime, skewedNow(ground)) <= 0) return 'EXPIRED';
  return ground.settings.renewsAccessToken || record.form === 'jwt' ? 'REVOKED' : 'INACTIVE';
}
