import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAudit, createHome, createTestClock, type AuditRecord, type Home, type TestClock } from '#core';
import { loadConfig, tenantMgt } from '#config';
import { coreSchema, migrate, openSqlite, type Database } from '#db';
import type { FetchHandler } from '#rest';
import { openAdministration, type Administration } from './administration.ts';
import { administrativeApis } from './administrative-apis.ts';
import { serveEndpoints } from './http/serve.ts';
import { createTenantSite } from './http/tenant-site.ts';
import { createFindCaller } from './oauth/callers.ts';
import { configuredGrants } from './oauth/configured-grants.ts';
import { noOwnParts } from './oauth/own-parts.ts';
import { oauthSchema } from './oauth/schema.ts';
import { createProtection } from './oauth/token-protection.ts';
import { openRecovery } from './recovery/open-recovery.ts';
import { recoveryPages } from './recovery/recovery-pages.ts';
import type { RecoveryNotice } from './recovery/recovery.ts';
import { createBackoff } from './sessions/backoff.ts';
import { createCredentialGuard } from './sessions/credential-guard.ts';
import { sessionsSchema } from './sessions/schema.ts';
import { readIdentitySettings } from './settings.ts';
import { superTenant } from './tenants/tenant.ts';
import { createTestCall } from './test-call.ts';
import { usersSchema } from './users/schema.ts';

/** Users, tenants and their administrative APIs over a database in memory. */
export interface TestGround extends AsyncDisposable {
  readonly administration: Administration;
  readonly database: Database;
  readonly clock: TestClock;
  readonly home: Home;
  readonly site: FetchHandler;
  /** What browsers can open: the pages of account recovery, where they are on. */
  readonly pages: { readonly call: ReturnType<typeof createTestCall> };
  /** What was sent to users. */
  readonly notices: readonly RecoveryNotice[];
  /** What was done, as the audit has it. */
  readonly audited: readonly AuditRecord[];
  /**
   * Sends a request such as `GET /scim2/Me` with JSON as `admin`, or as who is given as `NAME:PASSWORD`; an empty text
   * sends no credentials.
   */
  call(line: string, body?: unknown, as?: string): Promise<TestReply>;
}

export interface TestReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** The password of `admin`. */
const adminPassword = 'admin-password';

/** Hashes that are meant to take long would make tests slow. */
function withQuickHashes(toml: string): string {
  const header = '[user_store.properties]';
  const key = 'PasswordDigest = "SHA-256"';
  if (toml.includes('PasswordDigest')) return toml;
  return toml.includes(header) ? toml.replace(header, `${header}\n${key}`) : `${toml}\n${header}\n${key}\n`;
}

/** Starts on a home with these files, by their paths in it. */
export async function startTestGround(toml = '', files: Readonly<Record<string, string>> = {}): Promise<TestGround> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-users-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const home = createHome(directory);
  const clock = createTestClock();
  const { config, problems } = loadConfig({ text: withQuickHashes(toml) });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  const database = openSqlite({ path: ':memory:', clock });
  await migrate(database, [coreSchema, oauthSchema, sessionsSchema, usersSchema], clock);
  const administration = openAdministration({
    config,
    settings: readIdentitySettings(config, 'https://localhost:9443'),
    home,
    database,
    clock,
    sealing: createProtection({ mode: 'encrypted', algorithm: 'sha256', key: Buffer.alloc(32, 7) }),
    ofKeyStore: () => [],
    decrypt: async (cipherText) => Buffer.from(cipherText, 'base64').toString('utf8'),
  });
  const { users, roles, tenants, adminRole } = administration;
  await roles.ensure(superTenant, adminRole);
  const [first] = await administration.stores.of(superTenant);
  if (first?.adopt) await users.create(superTenant, { name: 'admin', password: adminPassword, roles: [adminRole] });
  const findTenant = (domain: string): ReturnType<typeof tenants.find> => tenants.find(domain);
  const findCaller = createFindCaller({
    guard: createCredentialGuard(createBackoff({ clock, free: { user: 3, address: 20 } }), clock),
    users,
    findTenant,
    emailNames: config.get(tenantMgt.enableEmailDomain),
    adminRole,
    tenantById: (id) => tenants.byId(id),
    tokens: administration.tokens,
    keys: administration.keys,
    settings: readIdentitySettings(config, 'https://localhost:9443'),
    clock,
    scopes: administration.scopes,
  });
  const notices: RecoveryNotice[] = [];
  const recovery = openRecovery({
    ...administration,
    config,
    database,
    clock,
    notify: async (notice: RecoveryNotice) => void notices.push(notice),
  });
  const audited: AuditRecord[] = [];
  const parts = {
    ...administration,
    settings: readIdentitySettings(config, 'https://localhost:9443'),
    grants: configuredGrants(config, { directory, classMap: {} }),
    own: noOwnParts,
    readStatement: () => Promise.reject(new Error('software statements are for tests of registration')),
    config,
    database,
    clock,
    findCaller,
    audit: createAudit({ clock, sink: (record) => void audited.push(record) }),
    publicUrl: 'https://localhost:9443',
    recovery,
  };
  const site = createTenantSite(administrativeApis(parts), findTenant);
  const pages = serveEndpoints({
    endpoints: recovery ? recoveryPages({ recovery, clock }) : [],
    findTenant,
    publicUrl: 'https://localhost:9443',
  });
  return {
    administration,
    database,
    clock,
    home,
    site,
    pages: { call: createTestCall(pages) },
    notices,
    audited,
    async call(line, body, as = `admin:${adminPassword}`) {
      const [method = '', path = ''] = line.split(' ');
      const headers = new Headers();
      if (as !== '') headers.set('Authorization', `Basic ${Buffer.from(as).toString('base64')}`);
      if (body !== undefined) headers.set('Content-Type', 'application/json');
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await site(new Request(`https://localhost:9443${path}`, init));
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        get json() {
          return JSON.parse(text) as Record<string, unknown>;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await administration[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
