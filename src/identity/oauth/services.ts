import type { Audit, Clock } from '#core';
import type { ClaimTables } from '../claims/claim-tables.ts';
import type { KeySets } from '../keys/key-sets.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { AcceptTicket } from '../providers/kerberos.ts';
import type { IdentityProviders } from '../providers/provider.ts';
import type { IdentitySettings } from '../settings.ts';
import type { SignInAttempt, SignInOutcome } from '../sessions/sign-in.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Users } from '../users/users.ts';
import type { AssertionCheck } from './client-authentication.ts';
import type { Clients } from './client.ts';
import type { DeviceCodes } from './device-store.ts';
import type { AuthorizationCodes } from './codes.ts';
import type { Grant } from './grant.ts';
import type { OwnParts } from './own-parts.ts';
import type { Scopes } from './scopes.ts';
import type { ReadStatement } from './software-statement.ts';
import type { TokenClaims } from './token-claims.ts';
import type { TokenStore } from './token-store.ts';
import type { UsedAssertions } from './used-assertions.ts';

/** The parts that endpoints and grants work with. */
export interface OAuthServices {
  readonly settings: IdentitySettings;
  readonly clock: Clock;
  readonly clients: Clients;
  readonly users: Users;
  /** Checks names and passwords, and slows down who guesses them. */
  readonly signIn: (attempt: SignInAttempt) => Promise<SignInOutcome>;
  /** Takes a record of what was changed by whom. */
  readonly audit: Audit;
  readonly tokens: TokenStore;
  readonly codes: AuthorizationCodes;
  readonly scopes: Scopes;
  readonly devices: DeviceCodes;
  readonly keys: SigningKeys;
  readonly findTenant: (domain: string) => Promise<Tenant | undefined>;
  /** Names of users are addresses of mail (`tenant_mgt.enable_email_domain`). */
  readonly emailNames: boolean;
  readonly checkAssertion?: AssertionCheck;
  readonly providers: IdentityProviders;
  readonly keySets: KeySets;
  readonly used: UsedAssertions;
  readonly tokenClaims: TokenClaims;
  readonly own: OwnParts;
  readonly readStatement: ReadStatement;
  readonly acceptTicket: AcceptTicket;
  /** Every grant that is turned on, by the value of `grant_type`. */
  readonly grants: ReadonlyMap<string, Grant>;
  /** What claims of users are called in OpenID Connect, and which scope shows them. */
  readonly claimsOf: ClaimsOf;
  readonly claims: ClaimTables;
}

/** The OpenID Connect claims of a user for what was granted (identity 4.2). */
export type ClaimsOf = (request: {
  readonly userId: string;
  readonly tenant: Tenant;
  readonly scopes: readonly string[];
  /** Names that the client is configured for; undefined for all of the scopes'. */
  readonly configured: readonly string[] | undefined;
  readonly requested: readonly string[];
}) => Promise<Readonly<Record<string, unknown>>>;
