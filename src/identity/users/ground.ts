import type { Config } from '#config';
import type { Clock, Home } from '#core';
import type { Database } from '#db';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clients } from '../oauth/client.ts';
import type { TokenStore } from '../oauth/token-store.ts';
import type { Sessions } from '../sessions/session.ts';
import { createTenants } from '../tenants/tenant-store.ts';
import { endTenantValidation } from '../tenants/tenant-validation.ts';
import type { Tenant, Tenants } from '../tenants/tenant.ts';
import { readClaimFileOf } from '../claims/claim-file.ts';
import { createClaimTables, type ClaimTables } from '../claims/claim-tables.ts';
import type { Trusted } from './directory/connections.ts';
import { createUsers } from './all-users.ts';
import { openStores, type Stores } from './open-stores.ts';
import { createRoles, type Roles } from './roles.ts';
import type { Decrypt } from './store-file.ts';
import type { Users } from './users.ts';

/** What ends when a user or a tenant does. */
export interface Issued {
  readonly clients: Clients;
  readonly tokens: TokenStore;
  readonly sessions: Sessions;
  readonly keys: SigningKeys;
}

/** Users, roles and tenants: what the authorization server stands on, and the command line works with. */
export interface UserGround extends AsyncDisposable {
  readonly claims: ClaimTables;
  readonly stores: Stores;
  readonly roles: Roles;
  readonly users: Users;
  readonly tenants: Tenants & { byId(id: number): Promise<Tenant | undefined> };
}

export interface UserGroundParts {
  readonly config: Config;
  readonly home: Home;
  readonly database: Database;
  readonly clock: Clock;
  readonly decrypt: Decrypt;
  /** What directories are checked against; the authorities that Node knows when absent. */
  readonly trusted?: Trusted | undefined;
  /** The role that may do everything, in every tenant. */
  readonly adminRole: string;
  /** Asked for when something ends, since it is made later than the users. */
  readonly issued: () => Issued;
}

const mail = 'http://wso2.org/claims/emailaddress';

/**
 * Opens the users of a home.
 *
 * @throws MillraceError `MR_STORE_PROPERTY`, ProblemsError `MR_CLAIM_CONFIG`
 */
export function openUserGround(parts: UserGroundParts): UserGround {
  const { config, home, database, clock, decrypt, trusted, adminRole, issued } = parts;
  const claims = createClaimTables(readClaimFileOf(home));
  const stores = openStores({ config, home, database, clock, decrypt, claims, trusted });
  const roles = createRoles(database);
  const users = createUsers({
    storesOf: (tenant) => stores.of(tenant),
    roles,
    claims,
    async signedOut(user) {
      const { tokens, sessions } = issued();
      await tokens.revokeOfSubject(user.id);
      await sessions.endAll(user);
    },
  });
  const tenants = createTenants({
    database,
    clock,
    async prepare(tenant, { adminName, adminPassword, email }) {
      await roles.ensure(tenant, adminRole);
      await users.create(tenant, {
        name: adminName,
        password: adminPassword,
        roles: [adminRole],
        claims: new Map([[mail, email]]),
      });
      // Makes the tenant's own key, so that nothing of the tenant waits for it later.
      await issued().keys.current(tenant);
    },
    async stop(tenant) {
      await endTenantValidation(database, tenant);
      const { clients, tokens } = issued();
      for (const { id } of await clients.list(tenant)) await tokens.revokeOfClient(id);
    },
    async remove(tenant) {
      // Stores give only so many at once.
      for (let some = await users.list(tenant, { limit: 100 }); some.length > 0;) {
        for (const user of some) await users.delete(user);
        some = await users.list(tenant, { limit: 100 });
      }
      for (const role of await roles.list(tenant)) await roles.delete(tenant, role);
      const { clients } = issued();
      for (const client of await clients.list(tenant)) await clients.delete(client);
      await endTenantValidation(database, tenant);
      await database.run('DELETE FROM mr_signing_key WHERE tenant = ?', [tenant.id]);
      await database.run('DELETE FROM mr_scope WHERE tenant = ?', [tenant.id]);
    },
  });
  return { claims, stores, roles, users, tenants, [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose]() };
}
