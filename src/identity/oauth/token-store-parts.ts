import type { Clock } from '#core';
import type { Database } from '#db';
import type { LateWrites } from './late-writes.ts';
import type { RecentTuples } from './recent-tuples.ts';
import type { Protection } from './token-protection.ts';
import { tokenKey } from './token-rows.ts';

/** What the configuration says about keeping tokens. */
export interface TokenStoreSettings {
  /** Milliseconds that clocks may differ (identity 4.7). */
  readonly skew: number;
  /** Gives a new token at each request instead of the live one. */
  readonly renewsAccessToken: boolean;
  /** Removes rows that are no longer active. */
  readonly cleansUp: boolean;
  /** Copies them to the audit table first. */
  readonly retainsForAudit: boolean;
  /** How often an insert is repeated that another request was faster with. */
  readonly retries: number;
  /** How many new rows are written at a time behind the answers; 0 and absent write them before. */
  readonly poolSize?: number;
}

export interface TokenStoreParts {
  readonly database: Database;
  readonly protection: Protection;
  readonly clock: Clock;
  readonly settings: TokenStoreSettings;
}

/** What issuing, finding, renewing and revoking share. */
export interface TokenGround extends TokenStoreParts {
  readonly recent: RecentTuples;
  readonly late: LateWrites;
}

/** A new access token: what the client gets, and by what it is found again (its own value, or the `jti` of a JWT). */
export interface AccessValue {
  readonly value: string;
  readonly alias: string;
}

/** Makes the values of one pair of tokens. */
export interface TokenValues {
  access(issuedAt: number): Promise<AccessValue> | AccessValue;
  refresh(issuedAt: number): string;
}

/** By what a token is found in the tables. */
export function keyOf({ protection }: Pick<TokenGround, 'protection'>, value: string): string {
  return tokenKey(value, protection);
}

/** Now as checks of own tokens see it: what ended within the skew still counts (identity 4.7). */
export function skewedNow({ clock, settings }: Pick<TokenGround, 'clock' | 'settings'>): number {
  return clock.now() - settings.skew;
}
