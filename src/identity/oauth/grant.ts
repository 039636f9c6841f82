import type { HeaderList } from '#message';
import type { Parameters } from '../http/parameters.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Authentication } from './authentication.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import type { GrantKeys } from './grant-keys.ts';
import type { OAuthServices } from './services.ts';
import type { Subject, TokenRecord } from './tokens.ts';
import type { StoredToken } from './token-rows.ts';

/** A token request whose client is known and may use the grant. */
export interface GrantRequest extends AuthenticatedClient {
  readonly parameters: Parameters;
  readonly tenant: Tenant;
  readonly headers: HeaderList;
  /** Address of the peer. */
  readonly address: string;
  /** The scopes of the request, each once. */
  readonly scopes: readonly string[];
}

/** For whom and for what tokens may be issued. */
export interface GrantResult {
  readonly subject: Subject;
  readonly scopes: readonly string[];
  /** True when the scopes were decided before and are not checked again. */
  readonly scopesAreFinal?: boolean;
  /** Milliseconds since the epoch. */
  readonly authenticatedAt?: number;
  /** Comes back in the ID token. */
  readonly nonce?: string;
  /** The session of the browser, for `sid`. */
  readonly sessionId?: string;
  /** Claims that the authorization request asked for. */
  readonly requestedClaims?: readonly string[];
  /** How the user signed in, for `amr` and `acr`. */
  readonly authentication?: Authentication;
  /** Milliseconds that win over every configured lifetime of the access token. */
  readonly lifetime?: number;
  /** Tells apart tokens that would be the same otherwise. */
  readonly binding?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The pair that is renewed, and the refresh token that is given again; a new one when absent. */
  readonly renewal?: { readonly former: StoredToken; readonly refreshToken: string | undefined };
  /** Runs when the tokens are there, such as to note which token a code gave. */
  readonly issued?: (record: TokenRecord) => Promise<void>;
}

/** One way to get a token. A grant of one's own has this shape as well and is named in `oauth.custom_grant_type`. */
export interface Grant {
  /** Value of `grant_type`. */
  readonly name: string;
  /** Name of its section below `oauth.grant_type`. */
  readonly section?: string;
  /** The keys of that section; a grant without any is always on. */
  readonly keys?: GrantKeys;
  /** Names, without their packages, of the original's classes that mean this grant. */
  readonly classes?: readonly string[];
  /** Parameters without which a request is refused. */
  readonly required: readonly string[];
  /** Whether the tokens stand for a user, which decides their lifetime. */
  readonly subject: 'user' | 'application';
  /** Whether clients without a secret may use it. */
  readonly admitsPublicClients: boolean;
  /** Whether a refresh token comes with it; settings and the client's own grants decide as well. */
  readonly refreshTokens: boolean;
  readonly idTokens: boolean;
  /** Refuses requests before `run`. @throws OAuthError `invalid_request` */
  readonly check?: (parameters: Parameters) => void;
  /** @throws OAuthError, mostly `invalid_grant` */
  run(request: GrantRequest, services: OAuthServices): Promise<GrantResult>;
}

/** Declares a grant; the result goes into the list of `grants/index.ts`. */
export function defineGrant(grant: Grant): Grant {
  return Object.freeze(grant);
}
