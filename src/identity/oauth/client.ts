import type { Tenant } from '../tenants/tenant.ts';

/** How a client proves who it is (identity 2.5). */
export type ClientAuthentication =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'none'
  | 'private_key_jwt'
  | 'tls_client_auth'
  | 'self_signed_tls_client_auth';

/** Lifetimes in seconds that win over the server's; a negative one never ends. */
export interface ClientLifetimes {
  readonly userAccessToken?: number;
  readonly applicationAccessToken?: number;
  readonly refreshToken?: number;
  readonly idToken?: number;
}

/** A registered client (identity 2.10, 4.6). */
export interface Client {
  readonly id: string;
  readonly tenant: Tenant;
  readonly name: string;
  /** Name of the user whom it belongs to, with the store domain. */
  readonly owner: string;
  /** Names of grants as requests spell them, and `implicit`. */
  readonly grantTypes: readonly string[];
  /** Exact addresses; `regexp=…` stands for a pattern. */
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly backChannelLogoutUri: string | undefined;
  readonly frontChannelLogoutUri: string | undefined;
  readonly isPublic: boolean;
  readonly isActive: boolean;
  /** True when users of other tenants may sign in to it. */
  readonly isSaas: boolean;
  readonly skipsConsent: boolean;
  readonly skipsLogoutConsent: boolean;
  readonly pkceMandatory: boolean;
  readonly pkceAllowsPlain: boolean;
  readonly requiresPushedRequests: boolean;
  /** `Default` gives opaque tokens, `JWT` signed ones, other names are of `oauth.extensions.token_types`; the server's choice when undefined. */
  readonly tokenType: string | undefined;
  /** True when its requests have to be signed (RFC 9101 §10.5). */
  readonly requiresSignedRequests: boolean;
  /** Algorithm with which they are signed; any of ours when undefined. */
  readonly requestObjectAlgorithm: string | undefined;
  /** Pinned method; undefined where any with a secret will do. */
  readonly authentication: ClientAuthentication | undefined;
  readonly lifetimes: ClientLifetimes;
  readonly renewsRefreshToken: boolean | undefined;
  /** Further audiences of its tokens. */
  readonly audiences: readonly string[];
  /** Claims that it asks for, by their OpenID Connect names. */
  readonly claims: readonly string[];
  readonly scopeValidators: readonly string[];
  readonly idTokenAlgorithm: string | undefined;
  readonly userInfoAlgorithm: string | undefined;
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | undefined;
  readonly jwksUri: string | undefined;
  /** SHA-256 of the token with which the client manages its registration (RFC 7592); undefined where it has none. */
  readonly registrationTokenHash: string | undefined;
  /** What else registration was given, answered as it came. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Whether a client may do anything at all: neither it nor its tenant is switched off. */
export function isUsable({ isActive, tenant }: Client): boolean {
  return isActive && tenant.isActive;
}

/** The clients of all tenants. Reads are cached; a change reaches other nodes through the change log. */
export interface Clients {
  find(tenant: Tenant, id: string): Promise<Client | undefined>;
  /** By id alone, for requests that name no tenant: ids are unique over all tenants. */
  findAnywhere(id: string): Promise<Client | undefined>;
  list(tenant: Tenant): Promise<readonly Client[]>;
  /** True when the secret is one of the client's living ones; compares in constant time. */
  hasSecret(client: Client, secret: string): Promise<boolean>;
  /** The secret, where it is kept readable; undefined when only its hash is. */
  secretOf(client: Client): Promise<string | undefined>;
  /** Registers a client; a secret is made when none is given. @throws MillraceError `MR_CLIENT_EXISTS` */
  create(client: Client, secret?: string): Promise<{ readonly client: Client; readonly secret: string | undefined }>;
  update(client: Client): Promise<void>;
  newSecret(client: Client): Promise<string>;
  /** Removes the client and revokes what it holds. */
  delete(client: Client): Promise<void>;
  /** Forgets what is kept in memory of a client, which another node has changed. */
  forget(id: string): void;
}
