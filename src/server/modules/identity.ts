import { randomUUID } from 'node:crypto';
import { createAudit, defineModule, getLogger } from '#core';
import { millrace, superAdmin, tenantMgt } from '#config';
import { createDatabaseLeases } from '#db';
import type { HttpListener } from '#transport';
import { toError } from '#errors';
import { serveRest } from '#rest';
import { openConnector } from '../connectors/connector.ts';
import type { ServerContext } from '../context.ts';
import { embeddedFile, openServerDatabase } from '../server-database.ts';
import { openKeySender } from '../key-sender.ts';
import { listen, listenerModule } from '../listen.ts';
import { textFetcher } from '../fetch-text.ts';
import { formPoster, formPutter } from '../post-form.ts';
import { sealingKey, storeFileDecrypter } from '../identity-files.ts';
import { createNoticePublisher } from '../recovery-notices.ts';
import { createTenantNotices } from '../tenant-notices.ts';
import { identityRoles } from '../roles.ts';
import { openTrusted } from '../trusted.ts';
import { createUserDirectory } from '../user-directory.ts';

const log = getLogger('identity');

/** How often revocations of other nodes are looked for. */
const revocationInterval = 1000;

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
    await using started = new AsyncDisposableStack();
    const database = await openServerDatabase(config, home, [area.oauthSchema, area.sessionsSchema, area.usersSchema]);
    started.use(database);
    started.use(context.openDatabases.add('apim_db', database));
    const listeners: HttpListener[] = [];
    started.defer(() => listenerModule(listeners)[Symbol.asyncDispose]());
    const sealing = area.createProtection({ mode: 'encrypted', algorithm: 'sha256', key: sealingKey(home, config) });
    const trusted = started.use(openTrusted(context.tls));
    const ground = area.openUserGround({
      config,
      home,
      database,
      clock,
      decrypt: storeFileDecrypter(config, home),
      trusted: trusted.current,
      adminRole: admin.role,
      issued: () => server,
    });
    started.use(ground);
    const { stores, roles, users, tenants } = ground;
    // The ports come first: what the server announces names the one that the system may have chosen.
    const connectors = (['https', 'http'] as const).map((scheme) => openConnector(config, settings, scheme));
    for (const { listener, handle } of connectors) listeners.push(await listen(context, listener, handle));
    const modules = { directory: home.extensions, classMap: config.bag(millrace.classMap) };
    const audit = createAudit({ clock, sink: context.auditTrail.sink });
    const keySender = started.use(openKeySender(config, context.tls));
    const publicUrl = settings.publicUrl ?? `https://${settings.hostname}:${listeners[0]?.port}${settings.publicPath}`;
    const server = area.createIdentity({
      config,
      settings: area.readIdentitySettings(config, publicUrl, sealingKey(home, config)),
      database,
      clock,
      audit,
      users,
      findTenant: (domain) => tenants.find(domain),
      tenantById: (id) => tenants.byId(id),
      forgetTenants: () => tenants.forget(),
      claimsOf: area.createClaimsOf(ground),
      claims: ground.claims,
      ofKeyStore: () => {
        const pem = context.tls.primaryKey();
        return pem ? [area.signingKeyOf(pem.privateKeyPem, pem.certificatePem)] : [];
      },
      sealing,
      postForm: formPoster(keySender),
      fetchText: textFetcher(keySender),
      modules,
      resolve: (text) => config.resolveRuntime(text, settings.runtime),
      providerFolderOf: area.providerFolders(home),
    });
    // Tokens that were given are stored before the database is closed.
    started.defer(() => server.tokens.flush());
    await area.ensureSuperAdmin(
      {
        name: admin.username,
        passwordHash: admin.exists ? admin.passwordHash : undefined,
        password: config.get(superAdmin.password),
        role: admin.role,
      },
      { users, roles, stores: await stores.of(area.superTenant) },
    );
    const emailNames = config.get(tenantMgt.enableEmailDomain);
    const findTenant = (domain: string): ReturnType<typeof tenants.find> => tenants.find(domain);
    started.use(context.signIn.use(area.createVerifyAdmin({ users, findTenant, emailNames, adminRole: admin.role })));
    context.userDirectory.current = createUserDirectory({
      users,
      roles,
      tenant: area.superTenant,
      superAdmin: admin.username,
      adminRole: admin.role,
    });
    started.defer(() => {
      context.userDirectory.current = undefined;
    });
    const { findCaller } = server;
    const recovery = area.openRecovery({
      config,
      ...ground,
      database,
      clock,
      notify: createNoticePublisher({ events: context.services.events, clock, publicUrl }),
    });
    const validation = area.createTenantValidation(database, clock);
    const tenantNotices = createTenantNotices(config, {
      events: context.services.events,
      clock,
      validation,
      publicUrl,
      validationPath: area.tenantValidationPath,
    });
    const apis = area.administrativeApis({
      ...ground,
      ...server.services,
      config,
      database,
      clock,
      findCaller,
      keys: server.keys,
      audit,
      recovery,
      tenantCreated: tenantNotices.created,
      publicUrl,
    });
    for (const [path, fetch] of apis) context.serverApis.set(path, fetch);
    started.defer(() => {
      for (const path of apis.keys()) context.serverApis.delete(path);
    });
    const handler = area.serveEndpoints({
      endpoints: [
        ...server.endpoints,
        ...(recovery ? area.recoveryPages({ recovery, clock }) : []),
        ...area.tenantValidationEndpoints({
          tenants,
          validation,
          validated: (tenant) => tenantNotices.validated(tenant, tenants),
          audit,
        }),
        ...area.sqlConsoleEndpoints({
          ...server.services,
          config,
          file: embeddedFile(config, home),
          sessions: server.sessions,
          adminRole: admin.role,
        }),
      ],
      otherwise: serveRest(area.createTenantSite(context.serverApis, findTenant)),
      findTenant: (domain) => tenants.find(domain),
      publicUrl,
    });
    for (const connector of connectors) connector.open(handler);
    context.authority.current = { findCaller, findTenant, tenantOf: area.tenantOfRequest, stores, publicUrl };
    const apiPaths = area.apiPortHandlers(handler, publicUrl);
    for (const [path, handle] of apiPaths) context.apiPaths.set(path, handle);
    const leases = createDatabaseLeases(database, clock);
    const holder = randomUUID();
    const stopSweeping = sweepEvery(sweepInterval, async () => {
      // Of all nodes on one database one sweeps.
      const lease = await leases.acquire({ name: 'identity.sweep', holder, ttl: 2 * sweepInterval });
      if (!lease) return 0;
      return (
        (await area.sweepTokens(database, clock, server.services.settings.tokens)) +
        (await area.sweepSessions(database, clock))
      );
    });
    const revocationNotices = area.createRevocationNotices({
      config,
      clock,
      modules,
      put: formPutter(keySender),
      publish: ({ key, form, clientId, tenantId, expires, ttl }) =>
        context.services.events?.publish({
          topic: 'token.revoked',
          at: clock.now(),
          attributes: new Map<string, string | number | null>(
            Object.entries({ key, form, clientId, tenantId, expires, ttl }),
          ),
        }),
    });
    started.use(revocationNotices);
    const revocations = await area.openRevocations({
      database,
      clock,
      interval: revocationInterval,
      changed: server.changed,
      receive: (revocation) => revocationNotices.tell(revocation),
    });
    started.use(revocations);
    started.use(server.notices);
    started.defer(() => {
      stopSweeping();
      for (const path of apiPaths.keys()) context.apiPaths.delete(path);
    });
    const running = started.move();
    return {
      drain: (milliseconds) => listenerModule(listeners).drain(milliseconds),
      [Symbol.asyncDispose]: () => running.disposeAsync(),
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
