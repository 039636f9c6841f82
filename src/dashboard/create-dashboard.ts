import { randomBytes } from 'node:crypto';
import { createAudit, createAuditTrail, type AuditTrail, type Clock } from '#core';
import {
  createCsrf,
  createRestApi,
  createSite,
  defineOperation,
  jsonResponse,
  type Connection,
  type FetchHandler,
  type RestApi,
} from '#rest';
import { createHttpSender } from '#transport';
import { openApprovals } from './approvals.ts';
import { createNodesAsker } from './ask-nodes.ts';
import { actionOperations } from './artifact-actions.ts';
import { artifactOperations } from './artifact-operations.ts';
import { auditOperations } from './audit-operations.ts';
import { createConnections } from './connections.ts';
import { eventOperations } from './event-operations.ts';
import { createGroupIndex } from './group-index.ts';
import { heartbeatOperation } from './heartbeat.ts';
import { readCounterAnswer } from './counter-deltas.ts';
import { createHttpCaller, jsonOf } from './http-caller.ts';
import { liveOperations } from './live-operations.ts';
import type { RuntimeAccount } from './node-client.ts';
import { nodeOperations } from './node-operations.ts';
import { problemOperations } from './problem-operations.ts';
import { createReader, type NodeReader } from './reader.ts';
import { createRegistry, type Registry } from './registry.ts';
import { rollupOperations } from './rollup-operations.ts';
import { createRollups, type Rollups } from './rollups.ts';
import { csrfError, principalOf, sessionOf, sessionOperations, type ConsolePrincipal } from './session-operations.ts';
import { createSessions } from './sessions.ts';
import type { DashboardSettings } from './settings.ts';
import { createSignIn } from './sign-in.ts';
import { ssoRoutes } from './sso-routes.ts';
import { createSso } from './sso.ts';
import { traceOperations } from './trace-operations.ts';
import type { DashboardStore } from './store.ts';
import { webPages } from './web-pages.ts';

export interface DashboardOptions {
  readonly settings: DashboardSettings;
  readonly clock: Clock;
  /** Certificates of the trust store; those of the system when absent. */
  readonly trusted: readonly string[] | undefined;
  /** The file of approved runtimes; absent keeps them in memory. */
  readonly approvalsFile?: string;
  /** What outlives the dashboard, which closes it; absent keeps everything in memory. */
  readonly store?: DashboardStore | undefined;
  /** Gives the folder of the built console. */
  readonly webFolder: () => Promise<string>;
  /** Gets every audit record. */
  readonly auditSink?: AuditTrail['sink'];
  /** Instead of the account of the settings. */
  readonly account?: RuntimeAccount;
}

/** The dashboard, without its listener. */
export interface Dashboard extends AsyncDisposable {
  readonly fetch: FetchHandler;
  readonly registry: Registry;
  readonly reader: NodeReader;
  readonly rollups: Rollups;
  readonly consoleApi: RestApi;
}

/** Puts the dashboard together: heartbeats, registry, sign-in, console API and pages. */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { settings, clock, trusted, store } = options;
  const stopped = new AbortController();
  const account = options.account ?? settings.account ?? { username: '', password: '' };
  const registry = createRegistry(clock, store?.kept.events);
  if (store) registry.subscribe(store.event);
  const approvals = openApprovals(options.approvalsFile);
  const connections = createConnections({ approvals, trusted, account });
  const { poolSize, trustsUnknown } = settings;
  const reader = createReader({ registry, approvals, connections, poolSize, trustsUnknown });
  const rollups = createRollups({
    registry,
    clock,
    poolSize,
    store,
    async read(node, since) {
      const client = await connections.client(node.managementUrl);
      const answer = await client.call(`millrace/counters?since=${since}`);
      return answer.status === 200 ? readCounterAnswer(jsonOf(answer)) : undefined;
    },
  });
  const asker = createNodesAsker({ connections, poolSize });
  const trail = createAuditTrail((record) => {
    options.auditSink?.(record);
    store?.audit(record);
  }, store?.kept.audit);
  const audit = createAudit({ clock, sink: trail.sink });
  const index = createGroupIndex(registry);
  const sessions = createSessions(clock);
  const csrf = createCsrf(randomBytes(32), '__Host-millrace-csrf');
  const provider = createHttpSender({ connectionsPerOrigin: 8, tls: trusted ? { ca: trusted } : {} });
  const sso = settings.sso && createSso(settings.sso, { call: createHttpCaller(provider), clock });
  const signIn = createSignIn({
    users: settings.users,
    account: settings.account,
    registry,
    approvals,
    connections,
    clock,
  });

  const authenticate = async (request: Request): Promise<ConsolePrincipal | undefined> => {
    const bearer = /^Bearer (.+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
    if (bearer !== undefined && sso) return principalOf(await sso.bearer(bearer));
    const id = sessionOf(request);
    const user = sessions.find(id);
    if (!user || id === undefined) return undefined;
    const isSignIn = request.method === 'POST' && new URL(request.url).pathname === '/api/v1/session';
    const isWrite = !['GET', 'HEAD', 'OPTIONS'].includes(request.method) && !isSignIn;
    if (isWrite && !csrf.verify(request, request.headers.get('X-CSRF-Token'), id)) throw csrfError();
    return principalOf(user);
  };

  const consoleApi = createRestApi({
    title: 'Console',
    version: '1',
    basePath: '/api/v1',
    operations: [
      ...sessionOperations({ sessions, csrf, signIn, sso }),
      ...nodeOperations({ registry, reader }),
      ...artifactOperations({ registry, index }),
      ...actionOperations({ index, reader, connections, audit }),
      ...auditOperations(trail),
      ...eventOperations(registry, stopped.signal),
      ...rollupOperations({ rollups, clock }),
      ...problemOperations({ registry, asker }),
      ...traceOperations({ registry, asker }),
      ...liveOperations({ registry, connections }),
    ],
    authenticate,
    audit,
    limits: { size: 64 * 1024 * 1024 },
    ...(settings.sso && {
      cors: {
        origins: settings.sso.origins,
        headers: ['Authorization', 'Content-Type'],
        credentials: settings.sso.takesCookies,
      },
    }),
  });
  const runtimeApi = createRestApi({
    title: 'Runtimes',
    version: '1',
    basePath: '/dashboard/api',
    operations: [heartbeatOperation({ reader, secret: settings.heartbeatSecret }), readiness],
  });
  const openapi = async (): Promise<Response> => jsonResponse(await consoleApi.openapi());
  return {
    registry,
    reader,
    rollups,
    consoleApi,
    fetch: withSecurityHeaders(
      createSite([
        { path: '/api/v1', fetch: consoleApi.fetch },
        { path: '/api/v1/openapi.json', fetch: openapi },
        { path: '/dashboard/api', fetch: runtimeApi.fetch },
        { path: '/sso', fetch: ssoRoutes({ sso, sessions, audit }) },
        { path: '', fetch: webPages(options.webFolder) },
      ]),
    ),
    async [Symbol.asyncDispose]() {
      stopped.abort();
      rollups[Symbol.dispose]();
      registry[Symbol.dispose]();
      await Promise.all([connections[Symbol.asyncDispose](), provider[Symbol.asyncDispose]()]);
      await store?.[Symbol.asyncDispose]();
    },
  };
}

const readiness = defineOperation({
  id: 'readiness',
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the dashboard takes heartbeats',
  responses: { 200: { description: '`status` is `ready`' } },
  public: true,
  handle: () => ({ status: 'ready' }),
});

/** What every answer carries (management 3.1). */
function withSecurityHeaders(fetch: FetchHandler): FetchHandler {
  return async (request: Request, connection?: Connection) => {
    const response = await fetch(request, connection);
    const secured = new Response(response.body, response);
    secured.headers.set('Strict-Transport-Security', 'max-age=31536000');
    return secured;
  };
}
