import type { Database } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import { storedToken, tokenSql, tuplesOfClient, type StoredToken } from './token-rows.ts';
import type { Protection } from './token-protection.ts';
import type { TokenRecord } from './tokens.ts';

/** Most tokens of one list. */
export const mostTokens = 500;

/** The stored tokens of a tenant, for administrators. */
export interface TokenList {
  /** Living tokens of a client, or of a user by the id; the newest first. */
  of(tenant: Tenant, whose: { readonly client?: string; readonly subject?: string }): Promise<readonly TokenRecord[]>;
  byId(tenant: Tenant, id: string): Promise<StoredToken | undefined>;
}

export function createTokenList(database: Database, protection: Pick<Protection, 'hash'>): TokenList {
  return {
    async of(tenant, { client, subject }) {
      const rows =
        client === undefined
          ? await database.all(tokenSql.ofSubject, [subject ?? ''])
          : await database.all(tokenSql.ofClient, tuplesOfClient(client, protection));
      return rows
        .map((row) => storedToken(row).record)
        .filter((record) => isOf(tenant, record))
        .filter((record) => subject === undefined || record.subject.id === subject)
        .toSorted((left, right) => right.issuedAt - left.issuedAt)
        .slice(0, mostTokens);
    },
    async byId(tenant, id) {
      const row = await database.get("SELECT * FROM mr_token WHERE id = ? AND state = 'ACTIVE'", [id]);
      const found = row && storedToken(row);
      return found && isOf(tenant, found.record) ? found : undefined;
    },
  };
}

/** Both the tenant of the client and that of the user have a say. */
function isOf({ id }: Tenant, { tenantId, subject }: TokenRecord): boolean {
  return tenantId === id || subject.tenant.id === id;
}
