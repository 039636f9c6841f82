import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '#core';
import type { Database } from '#db';
import type { Tenant } from './tenant.ts';

/** What the codes are for, among those of account recovery. */
const codeUse = 'tenant-address';

/** As long as the other codes that are sent by mail (identity 5.6). */
const lifetime = 24 * 60 * 60_000;

/** Codes that show that the mail of a tenant's owner arrives: kept as hashes, good once and for a day. */
export interface TenantValidation {
  /** A code for the owner; a former one of the tenant ends. */
  begin(tenant: Tenant): Promise<string>;
  /** False for a code that is unknown, used, over, or of another tenant. */
  redeem(tenant: Tenant, code: string): Promise<boolean>;
}

export function createTenantValidation(database: Database, clock: Clock): TenantValidation {
  return {
    async begin({ id }) {
      const code = randomBytes(32).toString('base64url');
      await database.transaction(async (transaction) => {
        await transaction.run(deletion, [id, codeUse]);
        await transaction.run(
          'INSERT INTO mr_recovery_code (hash, code_use, tenant, user_id, expires) VALUES (?, ?, ?, ?, ?)',
          [hashOf(code), codeUse, id, null, clock.now() + lifetime],
        );
      });
      return code;
    },
    async redeem({ id }, code) {
      // Whoever removes the row has the code: two requests at once cannot both use it.
      const sql = `${deletion} AND hash = ? AND expires >= ?`;
      return (await database.run(sql, [id, codeUse, hashOf(code), clock.now()])).changes === 1;
    },
  };
}

/** Ends the code of a tenant, of which an administrator has decided otherwise. */
export async function endTenantValidation(database: Database, { id }: Tenant): Promise<void> {
  await database.run(deletion, [id, codeUse]);
}

const deletion = 'DELETE FROM mr_recovery_code WHERE tenant = ? AND code_use = ?';

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}
