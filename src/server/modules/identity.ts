import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineModule, getLogger, type Home } from '#core';
import { encryption, httpConnector, httpsConnector, type Config } from '#config';
import type { HttpListener } from '#transport';
import { toError } from '#errors';
import type { ServerContext } from '../context.ts';
import { openServerDatabase } from '../server-database.ts';
import { listen, listenerModule } from '../listen.ts';
import { identityRoles } from '../roles.ts';

const log = getLogger('identity');

/** How often dead tokens are removed. */
const sweepInterval = 10 * 60_000;

/** The authorization server on the server's ports. It is loaded when a role has it. */
export const identity = defineModule<ServerContext>({
  name: 'identity',
  roles: identityRoles,
  needs: [],
  async start(context) {
    const { config, home, clock, admin, settings } = context;
    const area = await import('#identity');
    const database = await openServerDatabase(config, home, [area.oauthSchema, area.usersSchema]);
    const sealing = area.createProtection({ mode: 'encrypted', algorithm: 'sha256', key: sealingKey(home, config) });
    const roles = area.createRoles(database);
    const tenants = area.createTenants({
      database,
      clock,
      async prepare(tenant, { adminName, adminPassword, email }) {
        await roles.ensure(tenant, 'admin');
        const claims = new Map([['http://wso2.org/claims/emailaddress', email]]);
        await users.create(tenant, { name: adminName, password: adminPassword, roles: ['admin'], claims });
      },
      async remove(tenant) {
        for (const user of await users.list(tenant, { limit: Number.MAX_SAFE_INTEGER })) await users.delete(user);
        for (const role of await roles.list(tenant)) await roles.delete(tenant, role);
        for (const client of await server.clients.list(tenant)) await server.clients.delete(client);
      },
    });
    const primary = area.createDatabaseStore({
      domain: 'PRIMARY',
      database,
      clock,
      rules: area.readStoreRules(config),
    });
    const users = area.createUsers({
      storesOf: () => [primary],
      roles,
      signedOut: async (user) => void (await server.tokens.revokeOfSubject(user.id)),
    });
    const listeners: HttpListener[] = [];
    const publicUrl = settings.publicUrl ?? `https://${settings.hostname}:${settings.serverHttps.port}`;
    const server = area.createIdentity({
      config,
      settings: area.readIdentitySettings(config, publicUrl),
      database,
      clock,
      users,
      findTenant: (domain) => tenants.find(domain),
      tenantById: (id) => tenants.byId(id),
      claimsOf: async () => ({}),
      ofKeyStore: () => {
        const pem = context.tls.primaryKey();
        return pem ? [area.signingKeyOf(pem.privateKeyPem, pem.certificatePem)] : [];
      },
      sealing,
    });
    await area.ensureSuperAdmin(
      { name: admin.username, passwordHash: admin.passwordHash, role: admin.role },
      { database, clock, users, roles },
    );
    const handler = area.serveEndpoints({
      endpoints: server.endpoints,
      findTenant: (domain) => tenants.find(domain),
      publicUrl,
    });
    const https = {
      ...settings.serverHttps,
      name: 'Server HTTPS',
      scheme: 'https',
      key: httpsConnector.port.path,
    } as const;
    const http = { ...settings.serverHttp, name: 'Server HTTP', scheme: 'http', key: httpConnector.port.path } as const;
    try {
      for (const each of [https, http]) listeners.push(await listen(context, each, handler));
    } catch (error) {
      await listenerModule(listeners)[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      throw error;
    }
    const stopSweeping = sweepEvery(sweepInterval, () => area.sweepTokens(database, clock));
    const running = listenerModule(listeners);
    return {
      drain: (milliseconds) => running.drain(milliseconds),
      async [Symbol.asyncDispose]() {
        stopSweeping();
        await running[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    };
  },
});

/** Runs `sweep` again and again; a failure is logged and the next time tries again. */
function sweepEvery(milliseconds: number, sweep: () => Promise<number>): () => void {
  const timer = setInterval(() => {
    sweep().then(
      (count) => log.debug({ count }, 'dead tokens were removed'),
      (error: unknown) => log.warn({ err: toError(error) }, 'dead tokens could not be removed'),
    );
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

/** The key of `[encryption] key`, else one that this home makes for itself; nodes of a cluster share the former. */
function sealingKey(home: Home, config: Config): Uint8Array {
  const configured = config.get(encryption.key);
  if (configured !== undefined && /^[0-9a-f]{64}$/i.test(configured)) return Buffer.from(configured, 'hex');
  const file = join(home.security, 'internal.key');
  if (!existsSync(file)) {
    mkdirSync(home.security, { recursive: true });
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
}
