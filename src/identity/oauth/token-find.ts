import type { SqlRow } from '#db';
import { storedToken, tokenSql, type StoredToken } from './token-rows.ts';
import { keyOf, skewedNow, type TokenGround } from './token-store-parts.ts';
import type { TokenRecord } from './tokens.ts';
import { isLive } from './validity.ts';

/** A refresh token that was exchanged for another one. */
export interface FormerRefresh {
  readonly family: string;
  readonly clientId: string;
  /** When it was exchanged, in milliseconds since the epoch. */
  readonly rotated: number;
}

/** The record of an access token by its value or `jti`, while it is good; undefined otherwise. */
export async function findAccess(ground: TokenGround, alias: string): Promise<TokenRecord | undefined> {
  const token = await findPair(ground, alias);
  if (!token) return undefined;
  const { record } = token;
  const isGood = record.state === 'ACTIVE' && isLive(record.issuedAt, record.accessLifetime, skewedNow(ground));
  return isGood ? record : undefined;
}

/** The pair with an access token, in whatever state. */
export async function findPair(ground: TokenGround, alias: string): Promise<StoredToken | undefined> {
  const key = keyOf(ground, alias);
  await ground.late.settled(key);
  const row: SqlRow | undefined = await ground.database.get(tokenSql.byAccess, [key]);
  return row && storedToken(row);
}

/** The pair with a refresh token, the active one if there is one. */
export async function findRefresh(ground: TokenGround, value: string): Promise<StoredToken | undefined> {
  // A value that was given again stands in the rows that ended, too, where these are kept.
  const key = keyOf(ground, value);
  await ground.late.settled(key);
  const rows = await ground.database.all(tokenSql.byRefresh, [key]);
  const row = rows.find(({ state }) => state === 'ACTIVE') ?? rows[0];
  return row && storedToken(row);
}

/** The family of a refresh token that was exchanged for another one before. */
export async function findFormer(ground: TokenGround, value: string): Promise<FormerRefresh | undefined> {
  const row = await ground.database.get(tokenSql.findFormer, [keyOf(ground, value)]);
  if (!row) return undefined;
  return { family: String(row['family']), clientId: String(row['client_id']), rotated: Number(row['rotated']) };
}

/** True when the refresh part of a record is good. */
export function isRefreshGood(
  ground: Pick<TokenGround, 'clock' | 'settings'>,
  { refreshIssuedAt, refreshLifetime, state }: TokenRecord,
): boolean {
  if (state !== 'ACTIVE' || refreshIssuedAt === undefined || refreshLifetime === undefined) return false;
  return isLive(refreshIssuedAt, refreshLifetime, skewedNow(ground));
}
