import { systemClock, type Clock } from '#core';
import { loadConfig, usableConfig } from '#config';
import { createDashboard, readDashboardSettings, type Dashboard, type DashboardStore } from '#dashboard';
import { createSelfSigned } from '#keystore';
import { serveRest } from '#rest';
import { startHttpListener } from '#transport';

/** A dashboard on a free port, and a browser's cookies for its API. */
export interface TestDashboard extends AsyncDisposable {
  readonly url: string;
  readonly dashboard: Dashboard;
  /** Asks the console's API, keeping cookies and carrying the token of the session. */
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  signIn(username?: string, password?: string): Promise<Response>;
  readonly cookies: Map<string, string>;
}

/** The account that the dashboard's file names. */
export const account = { username: 'admin', password: 'runtime-secret' };

export interface TestDashboardOptions {
  readonly toml?: string;
  readonly clock?: Clock;
  readonly webFolder?: () => Promise<string>;
  readonly isSecure?: boolean;
  readonly store?: DashboardStore | undefined;
  /** Certificates that are trusted besides those of the system. */
  readonly trusted?: readonly string[];
}

/** Starts a dashboard over plain HTTP, which keeps certificates out of most tests; over TLS for browsers. */
export async function startTestDashboard(options: TestDashboardOptions = {}): Promise<TestDashboard> {
  const text = `[mi_user_store]\nusername = "${account.username}"\npassword = "${account.password}"\n${options.toml ?? ''}`;
  const config = usableConfig(loadConfig({ text, catalog: 'dashboard', env: {}, systemProperties: {} }));
  const dashboard = createDashboard({
    settings: readDashboardSettings(config),
    clock: options.clock ?? systemClock,
    trusted: options.trusted,
    store: options.store,
    webFolder: options.webFolder ?? (() => Promise.reject(new Error('this test has no pages'))),
  });
  const pair = options.isSecure ? await createSelfSigned({ hostNames: ['localhost'], days: 2 }) : undefined;
  const listener = await startHttpListener(
    { host: '127.0.0.1', port: 0, ...(pair ? { tls: { key: pair.privateKeyPem, cert: pair.certificatePem } } : {}) },
    serveRest(dashboard.fetch),
  );
  const url = `${listener.scheme}://localhost:${listener.port}`;
  const cookies = new Map<string, string>();
  let token = '';
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const request = new Request(`${url}/api/v1${path}`, {
      method,
      headers: {
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'X-CSRF-Token': token,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await dashboard.fetch(request);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    if (path === '/session' && response.ok) {
      token = ((await response.clone().json()) as { csrfToken?: string }).csrfToken ?? token;
    }
    return response;
  };
  return {
    url,
    dashboard,
    ask,
    cookies,
    async signIn(username = account.username, password = account.password) {
      await ask('GET', '/session');
      return ask('POST', '/session', { username, password });
    },
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]();
      await listener[Symbol.asyncDispose]();
    },
  };
}

/** The list at a path of the console's API. */
export async function listOf(
  dashboard: TestDashboard,
  path: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const response = await dashboard.ask('GET', path);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { list: readonly Readonly<Record<string, unknown>>[] }).list;
}

/** Waits until `check` gives something; fails after a minute with what `describe` says. */
export async function eventually<Value>(
  check: () => Value | undefined | Promise<Value | undefined>,
  describe = (): unknown => '',
): Promise<Value> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`It did not happen within a minute: ${JSON.stringify(describe())}`);
}
