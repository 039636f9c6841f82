import { appendChange, type Transaction } from '#db';
import { retire } from './token-retire.ts';
import { storedToken, tokenSql, tuplesOfClient, type StoredToken } from './token-rows.ts';
import type { TokenGround } from './token-store-parts.ts';

/** Who lost tokens, told to other nodes. */
export const revokedTopic = 'token.revoked';

/** Ends one pair; false when it had ended already. */
export function revokePair(ground: TokenGround, token: StoredToken): Promise<boolean> {
  return ground.database.transaction((transaction) => revokeIn(ground, transaction, token));
}

/** Ends every pair that came of one sign-in; gives how many. */
export function revokeFamily(ground: TokenGround, family: string): Promise<number> {
  return revokeAll(ground, tokenSql.ofFamily, [family]);
}

export function revokeOfClient(ground: TokenGround, clientId: string): Promise<number> {
  return revokeAll(ground, tokenSql.ofClient, tuplesOfClient(clientId, ground.protection));
}

export function revokeOfSubject(ground: TokenGround, subjectId: string): Promise<number> {
  return revokeAll(ground, tokenSql.ofSubject, [subjectId]);
}

async function revokeAll(ground: TokenGround, sql: string, values: readonly string[]): Promise<number> {
  // Tokens that have no family, or no user, have an empty text there.
  if (values[0] === '') return 0;
  await ground.late.flush();
  return ground.database.transaction(async (transaction) => {
    let count = 0;
    for (const row of await transaction.all(sql, values)) {
      if (await revokeIn(ground, transaction, storedToken(row))) count++;
    }
    return count;
  });
}

async function revokeIn(ground: TokenGround, transaction: Transaction, token: StoredToken): Promise<boolean> {
  const { record } = token;
  if (!(await retire(ground, transaction, { token, state: 'REVOKED' }))) return false;
  const expires = record.accessLifetime < 0 ? null : record.issuedAt + record.accessLifetime;
  const payload = JSON.stringify({ form: record.form, expires, clientId: record.clientId });
  // A JWT is told by its `jti`, an opaque token by its hash: neither lets anybody use it.
  const alias = record.form === 'jwt' ? ground.protection.restore(token.accessValue) : undefined;
  const key = alias ?? token.accessHash;
  const change = { tenant: String(record.tenantId), topic: revokedTopic, key, payload };
  await appendChange(transaction, change, ground.clock);
  return true;
}
