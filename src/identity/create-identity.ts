import process from 'node:process';
import type { Audit, Clock } from '#core';
import { superAdmin, tenantMgt, type Config } from '#config';
import type { Change, Database } from '#db';
import type { Endpoint } from './http/endpoint.ts';
import { KeyRing } from './keys/key-ring.ts';
import { longestLifetime } from './keys/longest-lifetime.ts';
import { createKeySets, type FetchText } from './keys/key-sets.ts';
import type { SigningKey } from './keys/signing-keys.ts';
import { createFindCaller, type FindCaller } from './oauth/callers.ts';
import { authorizeEndpoint } from './oauth/authorize-endpoint.ts';
import { consentPageEndpoints } from './oauth/authorize-consent.ts';
import { loginEndpoints } from './oauth/authorize-login.ts';
import type { BrowserServices } from './oauth/browser-services.ts';
import { announcedUrls, readBrowserSettings } from './oauth/browser-settings.ts';
import { checkSessionEndpoints } from './oauth/check-session.ts';
import { createAssertionCheck } from './oauth/client-assertion.ts';
import { clientChangedTopic, createClients } from './oauth/client-store.ts';
import type { Clients } from './oauth/client.ts';
import { createCodes } from './oauth/codes.ts';
import { createConsents } from './oauth/consents.ts';
import { deviceEndpoints } from './oauth/device-endpoints.ts';
import { createDeviceCodes } from './oauth/device-store.ts';
import { discoveryEndpoints } from './oauth/discovery.ts';
import { configuredGrants } from './oauth/configured-grants.ts';
import { authenticationClasses } from './oauth/authentication.ts';
import type { ExtensionModules } from './oauth/extension-module.ts';
import { readOwnParts } from './oauth/own-parts.ts';
import { createTokenClaims } from './oauth/token-claims.ts';
import { introspectEndpoint } from './oauth/introspect.ts';
import { jwksEndpoint } from './oauth/jwks.ts';
import { legacyRegistrationEndpoints } from './oauth/legacy-registration.ts';
import { logoutEndpoints } from './oauth/logout-endpoint.ts';
import { createLogoutNotices, type LogoutNotices, type PostForm } from './oauth/logout-notices.ts';
import { pushedRequestEndpoint } from './oauth/par-endpoint.ts';
import { createPushedRequests } from './oauth/par-store.ts';
import { registrationEndpoints } from './oauth/registration.ts';
import { responseModes } from './oauth/response-modes.ts';
import { responseTypes } from './oauth/response-types.ts';
import { revokeEndpoint } from './oauth/revoke.ts';
import { scopeEndpoints } from './oauth/scope-endpoints.ts';
import { scopeChangedTopic } from './oauth/scope-store.ts';
import { createScopeValidators } from './oauth/scope-validators.ts';
import { createScopes } from './oauth/scopes.ts';
import type { ClaimsOf, OAuthServices } from './oauth/services.ts';
import { createStatementReader } from './oauth/software-statement.ts';
import { tokenEndpoint } from './oauth/token-endpoint.ts';
import { createProtection, type Protection } from './oauth/token-protection.ts';
import { TokenStore } from './oauth/token-store.ts';
import { createUsedAssertions } from './oauth/used-assertions.ts';
import { userInfoEndpoint } from './oauth/userinfo.ts';
import { webFingerEndpoint } from './oauth/webfinger.ts';
import { pageEndpoints } from './pages/page-endpoints.ts';
import { keytabOf, openKerberos } from './providers/kerberos.ts';
import { createIdentityProviders } from './providers/providers.ts';
import { createBackoff } from './sessions/backoff.ts';
import { createCredentialGuard } from './sessions/credential-guard.ts';
import type { Sessions } from './sessions/session.ts';
import { createSessions } from './sessions/session-store.ts';
import { createSignIn } from './sessions/sign-in.ts';
import { createWaitingRequests } from './sessions/waiting-requests.ts';
import type { ClaimTables } from './claims/claim-tables.ts';
import type { IdentitySettings } from './settings.ts';
import { tenantChangedTopic } from './tenants/tenant-store.ts';
import type { Tenant } from './tenants/tenant.ts';
import type { Users } from './users/users.ts';

/** What the authorization server is put together from. */
export interface IdentityParts {
  readonly config: Config;
  readonly settings: IdentitySettings;
  readonly database: Database;
  readonly clock: Clock;
  /** Takes a record of what was changed by whom. */
  readonly audit: Audit;
  readonly users: Users;
  readonly findTenant: (domain: string) => Promise<Tenant | undefined>;
  readonly tenantById: (id: number) => Promise<Tenant | undefined>;
  /** Forgets what is kept in memory of tenants. */
  readonly forgetTenants: () => void;
  readonly claimsOf: ClaimsOf;
  readonly claims: ClaimTables;
  /** Signing keys of the key store, read again when it changes. */
  readonly ofKeyStore: () => readonly SigningKey[];
  /** Encrypts what must never be readable in the database. */
  readonly sealing: Protection;
  /** Sends the notices of logouts. */
  readonly postForm: PostForm;
  /** Fetches the keys that clients and identity providers publish. */
  readonly fetchText: FetchText;
  /** Grants and other parts of one's own. */
  readonly modules: ExtensionModules;
  /** Fills in what only a running server knows, in addresses of the configuration. */
  readonly resolve: (text: string) => string;
  /** Where the files of a tenant's identity providers are. */
  readonly providerFolderOf: (tenant: Tenant) => string;
}

/** The authorization server: its endpoints, and what administration works with. */
export interface Identity {
  readonly services: OAuthServices;
  readonly clients: Clients;
  readonly tokens: TokenStore;
  readonly keys: KeyRing;
  readonly sessions: Sessions;
  readonly notices: LogoutNotices;
  /** Takes a change that another node made: what is kept in memory of the old state is forgotten. */
  readonly changed: (change: Change) => void;
  /** Who calls an administrative API. */
  readonly findCaller: FindCaller;
  readonly endpoints: readonly Endpoint[];
}

export function createIdentity(parts: IdentityParts): Identity {
  const { config, settings, database, clock, users, findTenant, tenantById } = parts;
  const emailNames = config.get(tenantMgt.enableEmailDomain);
  const protection = createProtection(settings.protection);
  const tokens = new TokenStore({ database, protection, clock, settings: settings.tokens });
  const clients = createClients({
    database,
    protection,
    clock,
    cacheTime: settings.cacheTime,
    tenantOf: tenantById,
    revokeAll: (clientId) => tokens.revokeOfClient(clientId),
  });
  const keys = new KeyRing({
    database,
    clock,
    protection: parts.sealing,
    ofKeyStore: parts.ofKeyStore,
    longestLifetime: async (tenant) => longestLifetime(settings, await clients.list(tenant)),
  });
  const keySets = createKeySets(parts.fetchText, clock);
  const used = createUsedAssertions(database, clock);
  // One count for the login page and the APIs, so that guesses at one slow down those at the other.
  const backoff = createBackoff({ clock, free: { user: 3, address: 20 } });
  const providers = createIdentityProviders({ settings, keys, clock, folderOf: parts.providerFolderOf });
  const services: OAuthServices = {
    settings,
    clock,
    checkAssertion: createAssertionCheck({ clients, keySets, used, settings, clock }),
    clients,
    users,
    signIn: createSignIn({
      users,
      findTenant,
      emailNames,
      backoff,
      audit: parts.audit,
    }),
    audit: parts.audit,
    tokens,
    keys,
    codes: createCodes({
      database,
      protection,
      clock,
      lifetime: settings.codeLifetime,
      skew: settings.tokens.skew,
    }),
    scopes: createScopes({
      database,
      clock,
      users,
      cacheTime: settings.cacheTime,
      isAllowed: settings.isAllowedScope,
      defaults: settings.defaultScopes,
      adminRole: config.get(superAdmin.adminRole),
      validators: createScopeValidators(parts.modules),
    }),
    devices: createDeviceCodes(database, clock),
    findTenant,
    emailNames,
    providers,
    readStatement: createStatementReader({ providers, keySets, clock }),
    keySets,
    used,
    tokenClaims: createTokenClaims(database, clock),
    own: readOwnParts(config, parts.modules),
    acceptTicket: openKerberos({ clock, used, keytab: keytabOf(process.env), skew: settings.assertions.ticketSkew }),
    grants: configuredGrants(config, parts.modules),
    claimsOf: parts.claimsOf,
    claims: parts.claims,
  };
  const sessions = createSessions({ database, clock, users, tenantById });
  const browser: BrowserServices = {
    ...services,
    browser: readBrowserSettings(config, parts.resolve),
    sessions,
    waiting: createWaitingRequests(database, clock),
    consents: createConsents(database, clock),
    pushed: createPushedRequests(database, clock),
    codeBackoff: createBackoff({ clock, free: { address: 5 } }),
    notices: createLogoutNotices({ clients, keys, clock, settings, postForm: parts.postForm }),
  };
  const findCaller = createFindCaller({
    ...services,
    tenantById,
    adminRole: config.get(superAdmin.adminRole),
    guard: createCredentialGuard(backoff, clock),
  });
  const protocol = [
    tokenEndpoint(services),
    revokeEndpoint(services),
    introspectEndpoint({ ...services, tenantById, findCaller, allowsCrossTenant: false }),
    userInfoEndpoint({ ...services, tenantById }),
    jwksEndpoint(services),
    ...registrationEndpoints({ ...services, findCaller }),
    ...legacyRegistrationEndpoints({ ...services, findCaller }),
    ...scopeEndpoints({ ...services, findCaller }),
    authorizeEndpoint(browser),
    pushedRequestEndpoint(browser),
    ...loginEndpoints(browser),
    ...consentPageEndpoints(browser),
    ...deviceEndpoints(browser),
    ...logoutEndpoints(browser),
    ...checkSessionEndpoints(),
    webFingerEndpoint(services),
    ...pageEndpoints(),
  ];
  const discovery = discoveryEndpoints({
    settings,
    grants: services.grants,
    served: new Set(protocol.map(({ path }) => path)),
    announced: announcedUrls(browser.browser),
    responseTypes,
    responseModes,
    claims: ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'sid', 'acr', 'amr'],
    classes: authenticationClasses,
  });
  const { notices } = browser;
  const changed = ({ tenant, topic, key }: Change): void => {
    if (topic === clientChangedTopic) clients.forget(key);
    else if (topic === tenantChangedTopic) parts.forgetTenants();
    else if (topic === scopeChangedTopic) services.scopes.forget(Number(tenant));
  };
  const endpoints = [...protocol, ...discovery];
  return { services, clients, tokens, keys, sessions, notices, findCaller, changed, endpoints };
}
