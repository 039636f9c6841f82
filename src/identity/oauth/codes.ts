import { randomBytes } from 'node:crypto';
import type { Clock } from '#core';
import type { Database } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import type { Authentication } from './authentication.ts';
import type { Protection } from './token-protection.ts';
import type { Subject } from './tokens.ts';

/** What an authorization code stands for (identity 3.1). */
export interface CodeGrant {
  readonly clientId: string;
  readonly subject: Subject;
  readonly scopes: readonly string[];
  /** As the request said; undefined when it did not. */
  readonly redirectUri: string | undefined;
  readonly challenge: string | undefined;
  readonly challengeMethod: 'S256' | 'plain' | undefined;
  readonly nonce: string | undefined;
  readonly authenticatedAt: number;
  readonly sessionId: string | undefined;
  /** Names of claims that the request asked for one by one. */
  readonly requestedClaims: readonly string[];
  readonly userInfoClaims?: readonly string[];
  readonly authentication?: Authentication;
}

/** What became of a code that a client brought. */
export type TakenCode =
  | { readonly state: 'good'; readonly grant: CodeGrant }
  | { readonly state: 'expired' }
  /** It was used before; its tokens have to go. */
  | { readonly state: 'used'; readonly family: string | undefined };

export interface AuthorizationCodes {
  /** Makes a code for the client's own tenant. */
  create(tenant: Tenant, grant: CodeGrant): Promise<string>;
  /** Uses a code up; of several who try at the same time one succeeds. Undefined when there is no such code. */
  take(code: string): Promise<TakenCode | undefined>;
  /** Notes the family of the tokens that a used code gave. */
  gave(code: string, family: string): Promise<void>;
}

export interface CodeParts {
  readonly database: Database;
  readonly protection: Protection;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly lifetime: number;
  readonly skew: number;
}

/** The codes in the database. Only their hashes are there. */
export function createCodes({ database, protection, clock, lifetime, skew }: CodeParts): AuthorizationCodes {
  const now = (): number => clock.now() - skew;
  return {
    async create(tenant, grant) {
      const code = randomBytes(32).toString('base64url');
      const issuedAt = clock.now();
      await database.run(
        'INSERT INTO mr_authorization_code (hash, tenant, client_id, state, document, issued_at, expires) ' +
          "VALUES (?, ?, ?, 'ACTIVE', ?, ?, ?)",
        [
          protection.hash(code),
          tenant.id,
          grant.clientId,
          JSON.stringify(grant),
          issuedAt,
          lifetime < 0 ? Number.MAX_SAFE_INTEGER : issuedAt + lifetime,
        ],
      );
      return code;
    },
    async take(code) {
      const hash = protection.hash(code);
      const row = await database.get('SELECT * FROM mr_authorization_code WHERE hash = ?', [hash]);
      if (!row) return undefined;
      const sql = "UPDATE mr_authorization_code SET state = 'INACTIVE' WHERE hash = ? AND state = 'ACTIVE'";
      const { changes } = await database.run(sql, [hash]);
      if (changes === 0) {
        const again = await database.get('SELECT family FROM mr_authorization_code WHERE hash = ?', [hash]);
        const family = again?.['family'];
        return { state: 'used', family: typeof family === 'string' ? family : undefined };
      }
      // Below a second it counts as ended, like every token (identity 4.7).
      if (Number(row['expires']) - now() <= 1000) return { state: 'expired' };
      return { state: 'good', grant: JSON.parse(String(row['document'])) as CodeGrant };
    },
    async gave(code, family) {
      const hash = protection.hash(code);
      await database.run('UPDATE mr_authorization_code SET family = ? WHERE hash = ?', [family, hash]);
    },
  };
}
