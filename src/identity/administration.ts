import { millrace, superAdmin, type Config } from '#config';
import type { Clock, Home } from '#core';
import type { Database } from '#db';
import { KeyRing } from './keys/key-ring.ts';
import { longestLifetime } from './keys/longest-lifetime.ts';
import type { SigningKey } from './keys/signing-keys.ts';
import { createClients } from './oauth/client-store.ts';
import type { Client, Clients } from './oauth/client.ts';
import { createScopeValidators } from './oauth/scope-validators.ts';
import { createScopes, type Scopes } from './oauth/scopes.ts';
import { createProtection, type Protection } from './oauth/token-protection.ts';
import { TokenStore } from './oauth/token-store.ts';
import { formOf, tokenValues } from './oauth/token-values.ts';
import type { IssuedTokens } from './oauth/tokens.ts';
import type { Sessions } from './sessions/session.ts';
import { createSessions } from './sessions/session-store.ts';
import type { IdentitySettings } from './settings.ts';
import type { Trusted } from './users/directory/connections.ts';
import { openUserGround, type UserGround } from './users/ground.ts';
import type { Decrypt } from './users/store-file.ts';

/** Everything that is administered without a server: users, tenants, clients and their tokens. */
export interface Administration extends UserGround {
  readonly clients: Clients;
  readonly tokens: TokenStore;
  readonly keys: KeyRing;
  readonly sessions: Sessions;
  readonly scopes: Scopes;
  readonly adminRole: string;
  /** Gives a client a token for itself, as the grant `client_credentials` does. */
  issueFor(client: Client, scopes: readonly string[]): Promise<IssuedTokens>;
}

export interface AdministrationParts {
  readonly config: Config;
  readonly settings: IdentitySettings;
  readonly home: Home;
  readonly database: Database;
  readonly clock: Clock;
  readonly sealing: Protection;
  readonly ofKeyStore: () => readonly SigningKey[];
  readonly decrypt: Decrypt;
  /** What directories are checked against; the authorities that Node knows when absent. */
  readonly trusted?: Trusted | undefined;
}

/** Opens the administration of a home over its database. */
export function openAdministration(parts: AdministrationParts): Administration {
  const { config, settings, home, database, clock, decrypt } = parts;
  const protection = createProtection(settings.protection);
  const tokens = new TokenStore({ database, protection, clock, settings: settings.tokens });
  const keys = new KeyRing({
    database,
    clock,
    protection: parts.sealing,
    ofKeyStore: parts.ofKeyStore,
    longestLifetime: async (tenant) => longestLifetime(settings, await clients.list(tenant)),
  });
  const clients = createClients({
    database,
    protection,
    clock,
    cacheTime: settings.cacheTime,
    tenantOf: (id) => ground.tenants.byId(id),
    revokeAll: (clientId) => tokens.revokeOfClient(clientId),
  });
  const adminRole = config.get(superAdmin.adminRole);
  const ground: UserGround = openUserGround({
    config,
    home,
    database,
    clock,
    decrypt,
    trusted: parts.trusted,
    adminRole,
    issued: () => ({ clients, tokens, sessions, keys }),
  });
  const sessions = createSessions({
    database,
    clock,
    users: ground.users,
    tenantById: (id) => ground.tenants.byId(id),
  });
  const scopes = createScopes({
    database,
    clock,
    users: ground.users,
    cacheTime: settings.cacheTime,
    isAllowed: settings.isAllowedScope,
    defaults: settings.defaultScopes,
    adminRole,
    validators: createScopeValidators({ directory: home.extensions, classMap: config.bag(millrace.classMap) }),
  });
  return {
    ...ground,
    clients,
    tokens,
    keys,
    sessions,
    scopes,
    adminRole,
    issueFor(client, scopes) {
      const { id, tenant, lifetimes } = client;
      const seconds = lifetimes.applicationAccessToken;
      const order = {
        tenant,
        clientId: id,
        subject: { id, name: id, storeDomain: '', tenant, type: 'application', identityProvider: 'LOCAL' } as const,
        grantType: 'client_credentials',
        scopes,
        accessLifetime: seconds === undefined ? settings.applicationTokenLifetime : seconds < 0 ? -1 : seconds * 1000,
        refreshLifetime: undefined,
        binding: '',
        form: formOf(client, settings),
        authenticatedAt: undefined,
      };
      return tokens.issue(order, tokenValues(order, client, { keys, settings }));
    },
  };
}
