import { join } from 'node:path';
import { managementApi, millrace } from '#config';
import { createAudit, defineModule } from '#core';
import {
  createFileAccounts,
  createManagementApi,
  createSignIn,
  createTokens,
  openLogLevels,
  startHeartbeat,
  type Accounts,
} from '#management';
import {
  createRestApi,
  createSite,
  jsonResponse,
  probeOperations,
  serveRest,
  type Connection,
  type FetchHandler,
} from '#rest';
import type { ServerContext } from '../context.ts';
import { openControlPlaneTokens, reportToControlPlane } from '../control-plane.ts';
import { listen, listenerModule } from '../listen.ts';
import { isLocalAccount } from '../local-account.ts';
import { keptNodeId, managedRuntimeOf } from '../managed-runtime.ts';
import { readAnnouncement, readManagementSettings } from '../management-settings.ts';
import { postJson } from '../post-json.ts';
import { everyRole } from '../roles.ts';

/** Probes and metrics over HTTP, the management API over HTTPS and, where it is asked for, HTTP; heartbeats. */
export const management = defineModule<ServerContext>({
  name: 'management',
  roles: everyRole,
  needs: ['runtime', 'identity'],
  async start(context) {
    const { settings, health, metrics, node, clock, home } = context;
    await using started = new AsyncDisposableStack();
    const own = readManagementSettings(context.config);
    const probes = createRestApi({
      title: 'Probes and metrics',
      version: '1',
      basePath: '',
      operations: probeOperations(health, () => node.readMetrics(metrics)),
    });
    const tokens = own.tokens && createTokens(own.tokens, clock, node.sessions);
    const sessions = metrics
      .gauge({ name: 'millrace_management_sessions', help: 'Tokens of the management API that are kept' })
      .with();
    started.use(metrics.onCollect(() => sessions.set(node.sessions.size)));
    const runtime = managedRuntimeOf(context, own.users !== undefined);
    const controlPlane = openControlPlaneTokens(context.config, clock);
    const api = createManagementApi({
      runtime,
      signIn: createSignIn({
        ...own,
        tokens,
        clock,
        accounts: withLocal(context, accountsOf(context, own.users)),
        controlPlane: controlPlane && ((token) => controlPlane.callerOf(token)),
      }),
      logLevels: openLogLevels(join(home.conf, 'log-levels.json')),
      audit: createAudit({ clock, sink: context.auditTrail.sink }),
      cors: own.cors,
      publicUrl: settings.publicUrl,
    });
    const managed = [
      { path: '/management', fetch: api.fetch },
      { path: '/management/openapi.json', fetch: async () => jsonResponse(await api.openapi()) },
    ];
    const withApi = (scheme: 'http' | 'https'): FetchHandler =>
      createSite([{ path: '', fetch: probes.fetch }, ...(own.protocols.includes(scheme) ? managed : [])]);
    const listeners = [];
    if (settings.probes.enabled) {
      const key = 'mediation.internal_http_api_port';
      // Unless the file asks for it, nobody sends a password over a network in plain text.
      const isWanted = context.config.has(managementApi.protocols);
      const everything = withApi('http');
      const fetch: FetchHandler = (request, connection) =>
        isWanted || isLoopback(connection) ? everything(request, connection) : probes.fetch(request, connection);
      listeners.push(
        await listen(
          context,
          { ...settings.probes, name: 'Probes and metrics', scheme: 'http', key },
          serveRest(fetch),
        ),
      );
    }
    const key = 'mediation.internal_https_api_port';
    listeners.push(
      await listen(
        context,
        { ...settings.management, name: 'Management', scheme: 'https', key },
        serveRest(withApi('https')),
      ),
    );
    const opened = listenerModule(listeners);
    started.use(opened);
    if (controlPlane && node.isFirst) {
      const port = Number(new URL(context.addresses.find(({ name }) => name === 'Management')?.url ?? '').port);
      const hostname = settings.hostname;
      const parts = { tokens: controlPlane, runtime, manage: api.fetch, hostname, port };
      started.use(reportToControlPlane(context, parts));
    }
    // A control plane stands in for the dashboard (management 2).
    const heartbeat = controlPlane ? undefined : announce(context);
    if (heartbeat) started.use(heartbeat);
    const running = started.move();
    return {
      drain: (milliseconds) => opened.drain(milliseconds),
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  },
});

function isLoopback(connection: Connection | undefined): boolean {
  const address = connection?.peer.address ?? '';
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

/** The accounts of the file where it has any, else the users of the server, else its administrator. */
function accountsOf(
  { signIn, userDirectory }: ServerContext,
  users: Parameters<typeof createFileAccounts>[0] | undefined,
): Accounts {
  if (users) return createFileAccounts(users);
  return {
    async signIn(name, password) {
      if (await signIn.verify(name, password)) return { name, isAdmin: true };
      const directory = userDirectory.current;
      return (await directory?.checkPassword(name, password)) === true ? { name, isAdmin: false } : undefined;
    },
  };
}

/** The dashboard beside this server signs in with the account of the home. */
function withLocal({ home }: ServerContext, accounts: Accounts): Accounts {
  return {
    signIn: async (name, password) =>
      isLocalAccount(home, name, password) ? { name, isAdmin: true } : accounts.signIn(name, password),
  };
}

/** Tells the dashboard where this node is; one process of the node does. */
function announce(context: ServerContext): Disposable | undefined {
  const { config, sender, clock, home, settings, addresses, node } = context;
  const announcement = readAnnouncement(config);
  if (!announcement || !node.isFirst) return undefined;
  const { dashboardUrl, groupId, interval, hostname, port } = announcement;
  const listener = addresses.find(({ name }) => name === 'Management');
  const secret = context.config.get(millrace.heartbeatSecret);
  const ownPort = new URL(listener?.url ?? 'https://localhost').port;
  const address = hostname === undefined ? String(settings.runtime['carbon.local.ip'] ?? settings.hostname) : hostname;
  // A host name without a port is that of something in front of this node (management 2.1).
  const suffix = port === undefined ? (hostname === undefined ? `:${ownPort}` : '') : `:${port}`;
  return startHeartbeat(
    {
      dashboardUrl,
      groupId,
      interval,
      nodeId: context.systemProperties.get('node.id') ?? announcement.nodeId ?? keptNodeId(home),
      managementUrl: `https://${address}${suffix}/management/`,
    },
    (url, body) => postJson(sender, { url, body, secret }),
    clock,
  );
}
