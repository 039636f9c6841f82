import { createTestClock, type AuditEvent, type TestClock } from '#core';
import { loadConfig, millrace, type Config } from '#config';
import { coreSchema, migrate, openSqlite, type Database, type Schema } from '#db';
import { getHeader, type HeaderList } from '#message';
import { createClaimTables } from './claims/claim-tables.ts';
import { createIdentity, type Identity } from './create-identity.ts';
import { serveEndpoints } from './http/serve.ts';
import type { Endpoint } from './http/endpoint.ts';
import { newClient } from './oauth/client-store.ts';
import type { Client } from './oauth/client.ts';
import type { ClaimsOf } from './oauth/services.ts';
import { oauthSchema } from './oauth/schema.ts';
import { createProtection } from './oauth/token-protection.ts';
import { providerFolders } from './providers/providers.ts';
import { readIdentitySettings } from './settings.ts';
import { sessionsSchema } from './sessions/schema.ts';
import { superTenant, type Tenant } from './tenants/tenant.ts';
import { createTestCall, type TestAnswer, type TestCall } from './test-call.ts';
import type { SignIn, User, Users } from './users/users.ts';

export type { TestAnswer, TestCall };

/** A tenant besides the super tenant, for tests of what must stay apart. */
export const acme: Tenant = { id: 1, domain: 'acme.com', isActive: true };

export interface TestIdentity extends AsyncDisposable {
  readonly identity: Identity;
  readonly clock: TestClock;
  readonly config: Config;
  readonly database: Database;
  readonly users: TestUsers;
  /** What was audited. */
  readonly audited: readonly AuditEvent[];
  /** Forms that were sent to other servers. */
  readonly posted: readonly { readonly url: string; readonly form: URLSearchParams }[];
  /** What other servers publish, by address. */
  readonly published: Map<string, string>;
  call(target: string, call?: TestCall): Promise<TestAnswer>;
  /** Stops a tenant or lets it work again. */
  setTenantActive(domain: string, isActive: boolean): void;
  /** Registers a client with secret `secret-ID`. */
  client(id: string, facts?: Partial<Client>): Promise<Client>;
}

export interface TestOptions {
  readonly toml?: string;
  /** Folder with `identity/identity-providers`, and modules of one's own. */
  readonly home?: string;
  readonly schemas?: readonly Schema[];
  /** None when absent. */
  readonly claimsOf?: ClaimsOf;
  /** Further endpoints over the parts. */
  readonly endpoints?: (identity: Identity, config: Config) => readonly Endpoint[];
}

/** An authorization server in memory, without sockets. */
export async function startTestIdentity({
  toml = '',
  home = '/nonexistent',
  schemas = [],
  endpoints,
  claimsOf = async () => ({}),
}: TestOptions = {}): Promise<TestIdentity> {
  const clock = createTestClock();
  const { config, problems } = loadConfig({ text: toml });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  const database = openSqlite({ path: ':memory:', clock });
  await migrate(database, [coreSchema, oauthSchema, sessionsSchema, ...schemas], clock);
  const users = createTestUsers();
  let tenants = [superTenant, acme];
  const published = new Map<string, string>();
  const posted: { url: string; form: URLSearchParams }[] = [];
  const audited: AuditEvent[] = [];
  const identity = createIdentity({
    config,
    settings: readIdentitySettings(config, 'https://localhost:9443'),
    database,
    clock,
    audit: { record: (event) => void audited.push(event) },
    users,
    findTenant: async (domain) => tenants.find((tenant) => tenant.domain === domain),
    tenantById: async (id) => tenants.find((tenant) => tenant.id === id),
    forgetTenants() {},
    claimsOf,
    claims: createClaimTables(undefined),
    ofKeyStore: () => [],
    sealing: createProtection({ mode: 'encrypted', algorithm: 'sha256', key: Buffer.alloc(32, 7) }),
    postForm: async (url, form) => {
      posted.push({ url, form });
      return 200;
    },
    async fetchText(url) {
      const text = published.get(url);
      if (text === undefined) throw new Error(`nothing is published at ${url}`);
      return text;
    },
    modules: { directory: home, classMap: config.bag(millrace.classMap) },
    resolve: (text) => text.replaceAll('${https.nio.port}', '8243'),
    providerFolderOf: providerFolders({ conf: home, directory: home }),
  });
  const handler = serveEndpoints({
    endpoints: [...identity.endpoints, ...(endpoints?.(identity, config) ?? [])],
    findTenant: async (domain) => tenants.find((tenant) => tenant.domain === domain),
    publicUrl: 'https://localhost:9443',
  });

  const call = createTestCall(handler);
  return {
    identity,
    clock,
    config,
    database,
    users,
    audited,
    posted,
    published,
    call,
    setTenantActive(domain, isActive) {
      tenants = tenants.map((tenant) => (tenant.domain === domain ? { ...tenant, isActive } : tenant));
    },
    async client(id, facts = {}) {
      const client = newClient({ id, tenant: superTenant, name: id, owner: 'admin', ...facts });
      await identity.clients.create(client, `secret-${id}`);
      return client;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** `Authorization` of HTTP Basic, as a header list. */
export function basic(id: string, secret = `secret-${id}`): HeaderList {
  return ['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`];
}

export function headerOf(answer: TestAnswer, name: string): string | undefined {
  return getHeader(answer.headers, name);
}

export interface TestUsers extends Users {
  add(user: { name: string; password: string; roles?: readonly string[]; tenant?: Tenant }): User;
  block(user: User): void;
}

/** Users in memory. */
function createTestUsers(): TestUsers {
  const all: { user: User; password: string; roles: readonly string[]; blocked: boolean }[] = [];
  const entry = (tenant: Tenant, name: string): (typeof all)[number] | undefined =>
    all.find(({ user }) => user.tenant.id === tenant.id && user.name === name);
  const refuse = (): never => {
    throw new Error('users of this test do not change');
  };
  return {
    add({ name, password, roles = [], tenant = superTenant }) {
      const user = { id: `id-${tenant.domain}-${name}`, name, storeDomain: 'PRIMARY', tenant };
      all.push({ user, password, roles, blocked: false });
      return user;
    },
    block(user) {
      const found = all.find((each) => each.user === user);
      if (found) found.blocked = true;
    },
    async signIn(tenant, name, password): Promise<SignIn> {
      const found = entry(tenant, name);
      if (!found) return { failure: 'unknown' };
      if (found.password !== password) return { failure: 'password' };
      return found.blocked ? { failure: 'locked' } : { user: found.user };
    },
    find: async (tenant, name) => entry(tenant, name)?.user,
    byId: async (tenant, id) => all.find(({ user }) => user.tenant.id === tenant.id && user.id === id)?.user,
    list: async (tenant) => all.filter(({ user }) => user.tenant.id === tenant.id).map(({ user }) => user),
    isBlocked: async (user) => all.find((each) => each.user.id === user.id)?.blocked ?? true,
    roles: async (user) => all.find((each) => each.user.id === user.id)?.roles ?? [],
    claims: async () => new Map(),
    create: refuse,
    setPassword: refuse,
    setClaims: refuse,
    setRoles: refuse,
    delete: refuse,
  };
}
