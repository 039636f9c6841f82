import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '#core';
import type { Database } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import type { User, Users } from '../users/users.ts';

/** What a code lets its bearer do next. */
export type CodeUse = 'password' | 'username' | 'resend' | 'resend-sms' | 'confirm' | 'reset';

/** Milliseconds that codes are good, by their use. */
export type CodeLifetimes = Readonly<Record<CodeUse, number>>;

/** What a code stands for; `user` is undefined when nobody was found, which the bearer is not told. */
export interface RedeemedCode {
  readonly user: User | undefined;
}

/** Codes of account recovery: kept as hashes, good once and for a while (identity 5.6). */
export interface RecoveryCodes {
  issue(use: CodeUse, tenant: Tenant, user: User | undefined): Promise<string>;
  /** Undefined for a code that is unknown, used, over, or for something else. */
  redeem(use: CodeUse, tenant: Tenant, code: string): Promise<RedeemedCode | undefined>;
  /** Makes a code good again that was redeemed for nothing. */
  restore(use: CodeUse, user: User, code: string): Promise<void>;
  /** Ends every code of a user. */
  forget(user: User): Promise<void>;
}

export function createRecoveryCodes(parts: {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Pick<Users, 'byId'>;
  readonly lifetimes: CodeLifetimes;
}): RecoveryCodes {
  const { database, clock, users, lifetimes } = parts;
  return {
    async issue(use, tenant, user) {
      const code = randomBytes(32).toString('base64url');
      const now = clock.now();
      await database.transaction(async (transaction) => {
        await transaction.run('DELETE FROM mr_recovery_code WHERE expires < ?', [now]);
        // A user has one code of each kind: the latest.
        const sql = 'DELETE FROM mr_recovery_code WHERE tenant = ? AND user_id = ? AND code_use = ?';
        if (user) await transaction.run(sql, [tenant.id, user.id, use]);
        await transaction.run(
          'INSERT INTO mr_recovery_code (hash, code_use, tenant, user_id, expires) VALUES (?, ?, ?, ?, ?)',
          [hashOf(code), use, tenant.id, user?.id ?? null, now + lifetimes[use]],
        );
      });
      return code;
    },
    async redeem(use, tenant, code) {
      const key = [hashOf(code), use, tenant.id, clock.now()] as const;
      const where = 'WHERE hash = ? AND code_use = ? AND tenant = ? AND expires >= ?';
      const row = await database.get(`SELECT user_id FROM mr_recovery_code ${where}`, key);
      // Whoever removes the row has the code: two requests at once cannot both use it.
      const removed = row && (await database.run(`DELETE FROM mr_recovery_code ${where}`, key));
      if (!row || removed?.changes !== 1) return undefined;
      const id = row['user_id'];
      return { user: typeof id === 'string' ? await users.byId(tenant, id) : undefined };
    },
    async restore(use, { tenant, id }, code) {
      const sql = 'INSERT INTO mr_recovery_code (hash, code_use, tenant, user_id, expires) VALUES (?, ?, ?, ?, ?)';
      await database.run(sql, [hashOf(code), use, tenant.id, id, clock.now() + lifetimes[use]]);
    },
    async forget({ tenant, id }) {
      await database.run('DELETE FROM mr_recovery_code WHERE tenant = ? AND user_id = ?', [tenant.id, id]);
    },
  };
}

/** What stands in the database for a random code. */
export function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}
