import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type AuditTrail, type Home } from '#core';
import { dashboardKeystore, dashboardServerConfig, dashboardTruststore, securityFileOf, type Config } from '#config';
import { createDashboard, openDashboardStore, readDashboardSettings, type Dashboard } from '#dashboard';
import { MillraceError } from '#errors';
import { readKeyStoreFile, tlsOptions, type TlsMaterial } from '#keystore';
import { serveRest } from '#rest';
import { startHttpListener, type HttpListener } from '#transport';
import { openOwnKeyStore } from './own-key-store.ts';
import { openWebFolder } from './web-folder.ts';

export interface DashboardServerOptions {
  readonly home: Home;
  /** Of the dashboard's catalog. */
  readonly config: Config;
  /** Added to the port of the file, as `--offset` says. */
  readonly offset?: number;
  /** Addresses instead of those of the file. */
  readonly hosts?: readonly string[];
  /** Gets every audit record. */
  readonly auditSink?: AuditTrail['sink'];
  /** Account for runtimes instead of that of the file. */
  readonly account?: { readonly username: string; readonly password: string };
}

/** A dashboard that listens. */
export interface DashboardServer extends AsyncDisposable {
  readonly dashboard: Dashboard;
  readonly listeners: readonly HttpListener[];
  readonly url: string;
}

/**
 * Opens the dashboard: TLS from its key store, a self-signed one when the file names none.
 *
 * @throws MillraceError `MR_PORT_UNAVAILABLE`, `MR_DASHBOARD_CONFIG`, or what a key store cannot be read for
 */
export async function startDashboard(options: DashboardServerOptions): Promise<DashboardServer> {
  const { home, config } = options;
  const settings = readDashboardSettings(config, options.offset);
  const tls = await keyMaterialOf(home, config);
  const trusted = trustedOf(home, config);
  mkdirSync(join(home.data, 'dashboard'), { recursive: true });
  const store = await openDashboardStore(join(home.data, 'dashboard', 'kept.sqlite'), systemClock);
  const dashboard = createDashboard({
    settings,
    store,
    clock: systemClock,
    trusted,
    approvalsFile: join(home.data, 'dashboard', 'nodes.json'),
    webFolder: openWebFolder,
    ...(options.auditSink && { auditSink: options.auditSink }),
    ...(options.account ? { account: options.account } : {}),
  });
  const listeners: HttpListener[] = [];
  try {
    for (const host of options.hosts ?? settings.hosts) {
      const port = listeners[0]?.port ?? settings.port;
      listeners.push(await startHttpListener({ host, port, tls }, serveRest(dashboard.fetch)));
    }
  } catch (cause) {
    await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
    await dashboard[Symbol.asyncDispose]();
    throw new MillraceError({
      code: 'MR_PORT_UNAVAILABLE',
      message: `Port ${settings.port} (Dashboard, ${dashboardServerConfig.port.path}) cannot be opened; choose another one there, or use --offset`,
      cause,
    });
  }
  return {
    dashboard,
    listeners,
    url: `https://localhost:${listeners[0]?.port}`,
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]();
      await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
    },
  };
}

async function keyMaterialOf(home: Home, config: Config): Promise<TlsMaterial> {
  const password = config.get(dashboardKeystore.password);
  const file = securityFileOf(home.directory, config.get(dashboardKeystore.fileName));
  const isNamed = config.has(dashboardKeystore.fileName) || (password !== undefined && existsSync(file));
  if (!isNamed || password === undefined) return openOwnKeyStore(home);
  const keyPassword = config.get(dashboardKeystore.keyPassword);
  return tlsOptions({
    keyStore: readKeyStoreFile({ file, password, ...(keyPassword === undefined ? {} : { keyPassword }) }),
  });
}

function trustedOf(home: Home, config: Config): readonly string[] | undefined {
  const name = config.get(dashboardTruststore.fileName);
  const password = config.get(dashboardTruststore.password);
  if (name === undefined || password === undefined) return undefined;
  return tlsOptions({ trustStore: readKeyStoreFile({ file: securityFileOf(home.directory, name), password }) }).ca;
}
