import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#core';
import type { Database } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import type { User, Users } from '../users/users.ts';
import { hashOf, type RedeemedCode } from './recovery-codes.ts';

/** Digits of a code, as the original has characters (identity 5.6). */
const digits = 6;

/** Wrong tries until a code is over. */
const mostTries = 3;

/** A code that a user types, and the random value that says which code is meant. */
export interface OneTimeCode {
  readonly flow: string;
  readonly code: string;
}

/**
 * Codes that are short enough to be typed. Each belongs to a flow, whose random value only the browser that began it
 * has, so that nobody can try a code on all users; it is good once, for a while and for a few tries.
 */
export interface OneTimeCodes {
  issue(tenant: Tenant, user: User | undefined): Promise<OneTimeCode>;
  /** Undefined for a wrong code, and for a flow that is unknown, used, over, or of another tenant. */
  redeem(tenant: Tenant, given: OneTimeCode): Promise<RedeemedCode | undefined>;
  /** Ends every code of a user. */
  forget(user: User): Promise<void>;
}

export interface OneTimeCodesParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Pick<Users, 'byId'>;
  /** Milliseconds. */
  readonly lifetime: number;
}

export function createOneTimeCodes({ database, clock, users, lifetime }: OneTimeCodesParts): OneTimeCodes {
  return {
    async issue(tenant, user) {
      const flow = randomBytes(32).toString('base64url');
      const code = String(randomInt(10 ** digits)).padStart(digits, '0');
      const now = clock.now();
      await database.run('DELETE FROM mr_one_time_code WHERE expires < ?', [now]);
      await database.run(
        'INSERT INTO mr_one_time_code (flow, code, tenant, user_id, tries, expires) VALUES (?, ?, ?, ?, 0, ?)',
        [hashOf(flow), sealed({ flow, code }), tenant.id, user?.id ?? null, now + lifetime],
      );
      return { flow, code };
    },
    async redeem(tenant, given) {
      const flow = hashOf(given.flow);
      // The try counts before the code is looked at: of many at the same time no more than the allowed ones are.
      const counted = await database.run(
        'UPDATE mr_one_time_code SET tries = tries + 1 WHERE flow = ? AND tenant = ? AND expires >= ? AND tries < ?',
        [flow, tenant.id, clock.now(), mostTries],
      );
      const row =
        counted.changes === 1 && (await database.get('SELECT * FROM mr_one_time_code WHERE flow = ?', [flow]));
      if (!row || !isSame(String(row['code']), sealed(given))) return undefined;
      const { changes } = await database.run('DELETE FROM mr_one_time_code WHERE flow = ?', [flow]);
      if (changes !== 1) return undefined;
      const id = row['user_id'];
      return { user: typeof id === 'string' ? await users.byId(tenant, id) : undefined };
    },
    async forget({ tenant, id }) {
      await database.run('DELETE FROM mr_one_time_code WHERE tenant = ? AND user_id = ?', [tenant.id, id]);
    },
  };
}

/** A hash of six digits alone could be reversed by trying them; the flow's value, which is not kept, is its key. */
function sealed({ flow, code }: OneTimeCode): string {
  return createHmac('sha256', flow).update(code).digest('base64url');
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
