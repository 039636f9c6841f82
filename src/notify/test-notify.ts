import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryLeases, createMetrics, systemClock, type Clock, type Leases, type Metrics } from '#core';
import { coreSchema, migrate, openSqlite, type Database } from '#db';
import { createEventBus, type EventBus } from '#events';
import type { FetchHandler } from '#rest';
import { createHttpSender, type HttpSender } from '#transport';
import type { AdapterTools, MailDefaults } from './adapters/adapter.ts';
import { createSenderApi, type SenderCaller } from './api/sender-api.ts';
import { createNotifications, type Notifications } from './notifications.ts';
import type { QueueSettings } from './queue/queue-settings.ts';
import { notifySchema } from './schema.ts';
import { superTenant, type NotifyTenant } from './tenant.ts';

export const acme: NotifyTenant = { id: 1, domain: 'acme.com', isActive: true };
export const other: NotifyTenant = { id: 2, domain: 'other.org', isActive: true };
const tenants = [superTenant, acme, other];

export interface TestNotify extends AsyncDisposable {
  readonly home: string;
  readonly bus: EventBus;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly notifications: Notifications;
  /** Calls the API as a user of a tenant: `admin@acme.com`, or `viewer@acme.com` who may only look. */
  call(method: string, path: string, call?: TestCall): Promise<Response>;
  /** Waits until nothing waits to be sent. */
  settled(): Promise<void>;
}

export interface TestCall {
  /** `name@domain`; nobody when null. */
  readonly user?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestNotifyOptions {
  readonly home?: string;
  readonly mail?: Partial<Record<'output_adapter.email' | 'apim.notifications', MailDefaults>>;
  readonly tools?: Partial<AdapterTools>;
  readonly settings?: Partial<QueueSettings>;
  readonly wrap?: (database: Database) => Database;
  readonly leases?: Leases;
  readonly clock?: Clock;
}

const noMail: MailDefaults = { properties: new Map(), signature: undefined };

/** Notifications over a home of their own; everything else is real. */
export async function startTestNotify(options: TestNotifyOptions = {}): Promise<TestNotify> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'millrace-notify-'));
  const { clock = systemClock } = options;
  const opened = openSqlite({ path: join(home, 'notify.sqlite'), clock });
  await migrate(opened, [coreSchema, notifySchema], clock);
  const database = options.wrap?.(opened) ?? opened;
  const sender = createHttpSender({});
  const proxied: HttpSender[] = [];
  const bus = createEventBus();
  const metrics = createMetrics();
  const notifications = createNotifications({
    folders: {
      conf: join(home, 'conf'),
      eventpublishers: join(home, 'eventpublishers'),
      eventstreams: join(home, 'eventstreams'),
    },
    database,
    sealing: {
      seal: (text) => Buffer.from(text).toString('base64'),
      open: (text) => Buffer.from(text, 'base64').toString(),
    },
    clock,
    metrics,
    leases: options.leases ?? createMemoryLeases(clock),
    holder: 'test',
    findTenant: async (domain) => tenants.find((tenant) => tenant.domain === domain),
    settings: { firstWait: 20, longestWait: 100, pollTime: 20, attempts: 4, ...options.settings },
    tools: {
      clock,
      sender,
      senderThrough(proxy) {
        const through = createHttpSender({ proxy: () => proxy });
        proxied.push(through);
        return through;
      },
      mailDefaults: (section) => options.mail?.[section] ?? noMail,
      trusted: () => undefined,
      patience: 2000,
      ...options.tools,
    },
  });
  notifications.start(bus);
  const api = testApi(notifications);
  return {
    home,
    bus,
    metrics,
    database,
    notifications,
    call: (method, path, call) => callApi(api, { method, path, ...call }),
    async settled() {
      while ((await notifications.queue.waiting()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async [Symbol.asyncDispose]() {
      await notifications.stop();
      await Promise.all([sender, ...proxied].map((each) => each[Symbol.asyncDispose]()));
      await opened[Symbol.asyncDispose]();
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

const requestTenants = new WeakMap<Request, NotifyTenant>();

function testApi(notifications: Notifications): FetchHandler {
  return createSenderApi({
    senders: notifications.senders,
    tenantOf: (request) => requestTenants.get(request) ?? superTenant,
    publicUrl: () => 'https://localhost:9443',
    async findCaller(authorization): Promise<SenderCaller | undefined> {
      const [, name = '', domain = ''] = /^Test (\w+)@(\S+)$/.exec(authorization ?? '') ?? [];
      const tenant = tenants.find((each) => each.domain === domain);
      return tenant && { tenant, name, hasScope: (scope) => name === 'admin' || scope.endsWith('_view') };
    },
  });
}

function callApi(api: FetchHandler, call: TestCall & { method: string; path: string }): Promise<Response> {
  const { method, path, user = 'admin@acme.com', body, headers = {} } = call;
  const [, domain, below] = /^\/t\/([^/]+)(\/.*)$/.exec(path) ?? [];
  const request = new Request(`https://localhost:9443${below ?? path}`, {
    method,
    headers: {
      ...(user !== null && { Authorization: `Test ${user}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const tenant = tenants.find((each) => each.domain === domain);
  if (tenant) requestTenants.set(request, tenant);
  return api(request);
}

export const senders = '/t/acme.com/api/server/v1/notification-senders';
