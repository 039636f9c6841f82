import type { Tenant } from '../tenants/tenant.ts';

/** Whom a token stands for. */
export interface Subject {
  /** User id, or the client id of an application's own token. */
  readonly id: string;
  /** Name as `username` shows it: with the store domain when it is not the primary one. */
  readonly name: string;
  readonly storeDomain: string;
  /** Tenant of the user, which may differ from the client's. */
  readonly tenant: Tenant;
  readonly type: 'user' | 'application' | 'federated';
  /** Identity provider of a federated user; `LOCAL` otherwise. */
  readonly identityProvider: string;
}

/** What a grant decided, ready to be issued (identity 4.4). */
export interface TokenOrder {
  readonly tenant: Tenant;
  readonly clientId: string;
  readonly subject: Subject;
  readonly grantType: string;
  readonly scopes: readonly string[];
  /** What the refresh token may still give; the same scopes when undefined (RFC 6749 §6). */
  readonly refreshScopes?: readonly string[];
  /** Milliseconds; negative never ends. */
  readonly accessLifetime: number;
  /** Milliseconds; undefined issues no refresh token. */
  readonly refreshLifetime: number | undefined;
  /** Tells apart tokens that would otherwise be the same row: session, device … */
  readonly binding: string;
  readonly form: 'opaque' | 'jwt';
  /** When the user signed in, in milliseconds since the epoch; for `auth_time`. */
  readonly authenticatedAt: number | undefined;
  /** The family of a refresh token that is renewed; undefined begins one. */
  readonly family?: string;
  /** Claims that the token carries besides those of its form. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export type TokenState = 'ACTIVE' | 'INACTIVE' | 'EXPIRED' | 'REVOKED';

/** A stored pair of tokens; the values themselves are only in `IssuedTokens`. */
export interface TokenRecord {
  readonly id: string;
  /** Tenant of the client. */
  readonly tenantId: number;
  readonly clientId: string;
  readonly subject: Subject;
  readonly grantType: string;
  readonly scopes: readonly string[];
  readonly refreshScopes: readonly string[];
  readonly state: TokenState;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly accessLifetime: number;
  readonly refreshIssuedAt: number | undefined;
  readonly refreshLifetime: number | undefined;
  readonly binding: string;
  readonly family: string;
  readonly form: 'opaque' | 'jwt';
  readonly authenticatedAt: number | undefined;
}

export interface IssuedTokens {
  readonly record: TokenRecord;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** True when a live token was given again. */
  readonly isReused: boolean;
}
