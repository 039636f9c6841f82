import { newRowId } from '#core';
import type { Transaction } from '#db';
import { rowValues, tokenSql, type StoredToken } from './token-rows.ts';
import { keyOf, type AccessValue, type TokenGround } from './token-store-parts.ts';
import type { IssuedTokens, TokenOrder, TokenRecord } from './tokens.ts';

/** A refresh token and when its lifetime began. */
export interface RefreshValue {
  readonly value: string;
  readonly issuedAt: number;
}

/** What was made for one row. */
export interface MadeValues {
  readonly access: AccessValue;
  readonly refresh: RefreshValue | undefined;
  readonly tuple: string;
  readonly issuedAt: number;
}

/** A pair that is not stored yet: its row, and what the client gets. */
export interface NewPair {
  readonly token: StoredToken;
  readonly issued: IssuedTokens;
}

/** Makes the pair of tokens that an order and its new values give. */
export function newPair(ground: TokenGround, order: TokenOrder, made: MadeValues): NewPair {
  const { access, refresh, tuple } = made;
  const record = newRecord(order, made);
  const token = {
    record,
    accessHash: keyOf(ground, access.alias),
    accessValue: ground.protection.store(access.alias),
    refreshHash: refresh === undefined ? null : keyOf(ground, refresh.value),
    refreshValue: refresh === undefined ? null : ground.protection.store(refresh.value),
    tupleHash: tuple,
  };
  return { token, issued: { record, accessToken: access.value, refreshToken: refresh?.value, isReused: false } };
}

/** Stores a new pair and gives what the client gets. */
export async function insertPair(transaction: Transaction, { token, issued }: NewPair): Promise<IssuedTokens> {
  await transaction.run(tokenSql.insert, rowValues(token));
  return issued;
}

function newRecord(order: TokenOrder, { issuedAt, refresh }: MadeValues): TokenRecord {
  return {
    id: newRowId(),
    tenantId: order.tenant.id,
    clientId: order.clientId,
    subject: order.subject,
    grantType: order.grantType,
    scopes: order.scopes,
    refreshScopes: order.refreshScopes ?? order.scopes,
    state: 'ACTIVE',
    issuedAt,
    accessLifetime: order.accessLifetime,
    refreshIssuedAt: refresh?.issuedAt,
    refreshLifetime: refresh ? order.refreshLifetime : undefined,
    binding: order.binding,
    // Nothing comes of an application's own token that cannot be renewed.
    family: order.family ?? (refresh || order.subject.type !== 'application' ? newRowId() : ''),
    form: order.form,
    authenticatedAt: order.authenticatedAt,
  };
}
