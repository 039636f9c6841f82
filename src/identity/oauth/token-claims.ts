import type { Clock } from '#core';
import type { Database } from '#db';

/** The claims that authorization requests named for user info (OpenID Connect Core 5.5), by the family of tokens. */
export interface TokenClaims {
  note(family: string, names: readonly string[]): Promise<void>;
  of(family: string): Promise<readonly string[]>;
}

export function createTokenClaims(database: Database, clock: Clock): TokenClaims {
  return {
    async note(family, names) {
      if (names.length === 0) return;
      const text = JSON.stringify(names);
      await database.transaction(async (transaction) => {
        await transaction.run('DELETE FROM mr_token_claims WHERE family = ?', [family]);
        const sql = 'INSERT INTO mr_token_claims (family, names, noted) VALUES (?, ?, ?)';
        await transaction.run(sql, [family, text, clock.now()]);
      });
    },
    async of(family) {
      const row = await database.get('SELECT names FROM mr_token_claims WHERE family = ?', [family]);
      return row ? (JSON.parse(String(row['names'])) as readonly string[]) : [];
    },
  };
}
