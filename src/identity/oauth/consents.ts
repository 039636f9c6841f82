import type { Clock } from '#core';
import type { Database } from '#db';
import type { User } from '../users/users.ts';

/** What users have agreed to for good. */
export interface Consents {
  /** True when the user has agreed to each of these scopes for the client. */
  covers(user: User, clientId: string, scopes: readonly string[]): Promise<boolean>;
  remember(user: User, clientId: string, scopes: readonly string[]): Promise<void>;
}

export function createConsents(database: Database, clock: Clock): Consents {
  const find = async (user: User, clientId: string): Promise<readonly string[] | undefined> => {
    const sql = 'SELECT scopes FROM mr_consent WHERE user_id = ? AND client_id = ?';
    const row = await database.get(sql, [user.id, clientId]);
    return row && (JSON.parse(String(row['scopes'])) as readonly string[]);
  };
  return {
    async covers(user, clientId, scopes) {
      const agreed = await find(user, clientId);
      return agreed !== undefined && scopes.every((scope) => agreed.includes(scope));
    },
    async remember(user, clientId, scopes) {
      const all = [...new Set([...((await find(user, clientId)) ?? []), ...scopes])];
      await database.transaction(async (transaction) => {
        await transaction.run('DELETE FROM mr_consent WHERE user_id = ? AND client_id = ?', [user.id, clientId]);
        await transaction.run('INSERT INTO mr_consent (user_id, client_id, scopes, granted) VALUES (?, ?, ?, ?)', [
          user.id,
          clientId,
          JSON.stringify(all),
          clock.now(),
        ]);
      });
    },
  };
}
