import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { configureLog, createHome, createTestClock } from '#core';
import type { Config } from '#config';
import { readDashboardSettings } from '#dashboard';
import { MillraceError } from '#errors';
import { createSelfSigned } from '#keystore';
import { writePkcs12 } from '../../src/keystore/pkcs12-write.ts';
import { startDashboard } from '../../src/server/dashboard-server.ts';
import { createSso } from '../../src/dashboard/sso.ts';
import type { HttpCall } from '../../src/dashboard/http-caller.ts';
import { startFakeRuntime } from '../helpers/fake-runtime.ts';
import { eventually } from '../helpers/test-dashboard.ts';
import type { EffectRow } from './effect-row.ts';

const file = 'dashboard';
const sso = `[sso]
enable = true
client_id = "console"
base_url = "https://idp"
jwt_issuer = "https://idp"
`;
const manual = `${sso}override_well_known_endpoint = true
user_info_endpoint = "/me"
introspection_endpoint = "/check"
`;

/** Runs `use` against a dashboard of the file in a home of its own. */
async function withDashboard<T>(
  config: Config,
  use: (parts: Awaited<ReturnType<typeof startDashboard>>) => Promise<T>,
): Promise<unknown> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-effect-'));
  try {
    mkdirSync(join(directory, 'conf/security'), { recursive: true });
    for (const name of ['one', 'two'])
      writeFileSync(join(directory, 'conf/security', `${name}.p12`), await storeOf(name));
    await using server = await startDashboard({ home: createHome(directory), config });
    return await use(server);
  } catch (error) {
    return error instanceof MillraceError ? error.code : Promise.reject(error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const stores = new Map<string, Promise<Uint8Array>>();

/** A key store with one certificate of that name; its password is `right`. */
function storeOf(name: string): Promise<Uint8Array> {
  const made =
    stores.get(name) ??
    createSelfSigned({ hostNames: [`${name}.example`], days: 2 }).then(({ privateKeyPem, certificatePem }) =>
      writePkcs12([{ alias: name, privateKeyPem, certificatePems: [certificatePem] }], 'right'),
    );
  stores.set(name, made);
  return made;
}

/** The name in the certificate that browsers see. */
function shownName(config: Config): Promise<unknown> {
  return withDashboard(config, async ({ listeners }) => {
    const socket = connect({ host: '127.0.0.1', port: listeners[0]?.port ?? 0, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { subjectaltname } = socket.getPeerCertificate();
    socket.destroy();
    return subjectaltname;
  });
}

/** What the dashboard sent to a runtime to sign in, and whether it signed in. */
function signedIn(config: Config): Promise<unknown> {
  return withDashboard(config, async ({ dashboard }) => {
    await using runtime = await startFakeRuntime();
    const beat = {
      product: 'mi',
      group: 'g',
      node: 'n',
      interval: 60,
      managementUrl: runtime.managementUrl,
      hasChanges: false,
    };
    dashboard.reader.beat(beat, true);
    const node = await eventually(() => {
      const found = dashboard.registry.find('g', 'n');
      return found?.readAt !== undefined || found?.problem !== undefined ? found : undefined;
    });
    return [runtime.credentials[0], node.problem];
  });
}

/** Whether a runtime that nobody vouched for is signed in to, and how its heartbeat was answered. */
function stranger(config: Config): Promise<unknown> {
  return withDashboard(config, async ({ dashboard }) => {
    await using runtime = await startFakeRuntime();
    const response = await dashboard.fetch(
      new Request('https://localhost/dashboard/api/heartbeat', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer between us' },
        body: JSON.stringify({ nodeId: 'n', mgtApiUrl: runtime.managementUrl }),
      }),
    );
    return [response.status, dashboard.registry.find('default', 'n')?.trust];
  });
}

/** How many runtimes are read at once when four report and none answers. */
function readTogether(config: Config): Promise<unknown> {
  return withDashboard(config, async ({ dashboard }) => {
    let open = 0;
    const silent = createTcpServer(() => void open++).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    for (const host of ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']) {
      const at = host === '127.0.0.1' ? host : 'localhost';
      dashboard.reader.beat(
        {
          product: 'mi',
          group: 'g',
          node: host,
          interval: 60,
          managementUrl: `http://${at}:${port}/${host}/`,
          hasChanges: false,
        },
        true,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    silent.close();
    return open;
  });
}

/** How a name and a password are answered. */
function signInAs(name: string, password: string) {
  return (config: Config): Promise<unknown> =>
    withDashboard(config, async ({ dashboard }) => {
      const begun = await dashboard.fetch(new Request('https://localhost/api/v1/session'));
      const { csrfToken } = (await begun.json()) as { csrfToken: string };
      const cookie = begun.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
      const response = await dashboard.fetch(
        new Request('https://localhost/api/v1/session', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Cookie: cookie, 'X-CSRF-Token': csrfToken },
          body: JSON.stringify({ username: name, password }),
        }),
      );
      return [response.status, ((await response.json()) as { user?: unknown }).user];
    });
}

/** Everything that single sign-on asks of a provider, and whom it lets in. */
async function singleSignOn(config: Config): Promise<unknown> {
  try {
    return await runSingleSignOn(config);
  } catch (error) {
    return error instanceof MillraceError ? error.message : Promise.reject(error);
  }
}

async function runSingleSignOn(config: Config): Promise<unknown> {
  const { sso: settings } = readDashboardSettings(config);
  if (!settings) return 'off';
  const { generateKeyPair, exportJWK, SignJWT } = await import('jose');
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' };
  const clock = createTestClock();
  const calls: string[] = [];
  let nonce = '';
  const call = async ({ url, method = 'GET', headers = [], body }: HttpCall) => {
    const form = new URLSearchParams(typeof body === 'string' ? body : '');
    form.delete('code_verifier');
    calls.push([method, url, headers.includes('Authorization') ? 'signed' : '', form.toString()].join(' '));
    const bytes = Buffer.from(JSON.stringify(await answerOf(url)));
    return { status: 200, headers: [], bytes, text: bytes.toString() };
  };
  const answerOf = async (url: string): Promise<unknown> => {
    if (url.includes('jwks') || url.includes('keys')) return { keys: [jwk] };
    if (url.includes('openid-configuration')) {
      return {
        authorization_endpoint: 'https://idp/found/authorize',
        token_endpoint: 'https://idp/found/token',
        jwks_uri: 'https://idp/found/jwks',
        userinfo_endpoint: 'https://idp/found/me',
      };
    }
    if (url.includes('check')) return { active: true, sub: 'u' };
    if (url.includes('me')) return { sub: 'u', groups: ['ops'], teams: ['dev'] };
    const claims = {
      sub: 'u',
      name: 'Ursula',
      nonce,
      iss: 'https://idp',
      aud: 'console',
      exp: clock.now() / 1000 + 60,
    };
    const sign = (more: object): Promise<string> =>
      new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(privateKey);
    return { id_token: await sign({}), access_token: 'opaque' };
  };
  const flow = createSso(settings, { call, clock });
  const { location, cookie } = await flow.begin('/');
  const target = new URL(location);
  nonce = target.searchParams.get('nonce') ?? '';
  const state = target.searchParams.get('state') ?? '';
  for (const name of ['nonce', 'state', 'code_challenge'])
    if (target.searchParams.has(name)) target.searchParams.set(name, 'x');
  const answer = new URLSearchParams({ code: 'c', state });
  const outcome = await flow.finish(answer, cookie).then(
    ({ user: { name, isAdmin } }) => ({ name, isAdmin }),
    (error: unknown) => (error instanceof MillraceError ? error.message : Promise.reject(error)),
  );
  const out = await flow.signOut({ name: 'u', isAdmin: false, by: 'sso', accessToken: 'opaque' });
  const bearer = await flow.bearer('opaque').then(
    ({ isAdmin }) => isAdmin,
    (error: unknown) => String(error),
  );
  const shared = await new SignJWT({ sub: 'u', iss: 'https://idp', aud: 'shared', exp: clock.now() / 1000 + 60 })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .sign(privateKey);
  const other = await flow.bearer(shared).then(
    () => 'accepted',
    () => 'refused',
  );
  return [target.href, outcome, out, bearer, other, calls];
}

/** Which origin a browser's scripts may call from. */
function corsOrigin(config: Config): Promise<unknown> {
  return corsHeader(config, 'Access-Control-Allow-Origin');
}

/** A header of the answer to a script of another origin. */
function corsHeader(config: Config, header: string): Promise<unknown> {
  return withDashboard(config, async ({ dashboard }) => {
    const request = new Request('https://localhost/api/v1/nodes', { headers: { Origin: 'https://portal.example' } });
    return (await dashboard.fetch(request)).headers.get(header);
  });
}

const anyPort = '[server_config]\nport = 0\n';
const account = '[mi_user_store]\nusername = "admin"\npassword = "runtime-secret"\n';
const user = '[[internal_apis.users]]\nuser.name = "ada"\nuser.password = "right"\nuser.is_admin = true\n';

const ssoRow = (key: string, first: EffectRow['first'], second: EffectRow['second'], given = manual): EffectRow => ({
  file,
  key: `sso.${key}`,
  first,
  second,
  given: given.replaceAll(new RegExp(`^${key} = .*\\n`, 'gm'), ''),
  observe: singleSignOn,
});

const jks = join(import.meta.dirname, '../fixtures/keystore/server.jks');

export const rows: readonly EffectRow[] = [
  {
    file,
    key: 'keystore.key_password',
    first: 'keypass12',
    second: 'wrong',
    given: `${anyPort}[keystore]\nfile_name = "${jks}"\npassword = "storepass"\n`,
    observe: shownName,
  },
  {
    file,
    key: 'server_config.port',
    first: 0,
    second: 1,
    given: '[millrace]\nbind = ["127.0.0.1"]\n',
    // Port 0 is any free one; port 1 is not it.
    observe: (config) => withDashboard(config, ({ listeners }) => Promise.resolve(listeners[0]?.port === 1)),
  },
  { file, key: 'heartbeat_config.pool_size', first: 1, second: 3, given: anyPort, alone: true, observe: readTogether },
  {
    file,
    key: 'mi_user_store.username',
    first: 'admin',
    second: 'other',
    given: `${anyPort}${account.replace('username = "admin"\n', '')}`,
    observe: signedIn,
  },
  {
    file,
    key: 'mi_user_store.password',
    first: 'runtime-secret',
    second: 'wrong',
    given: `${anyPort}${account.replace('password = "runtime-secret"\n', '')}`,
    observe: signedIn,
  },
  { file, key: 'millrace.heartbeat_secret', first: 'between us', second: 'another', given: anyPort, observe: stranger },
  { file, key: 'millrace.trust_unknown_nodes', first: false, second: true, given: anyPort, observe: stranger },
  {
    file,
    key: 'millrace.bind',
    first: ['127.0.0.1'],
    second: ['0.0.0.0'],
    given: anyPort,
    observe: (config) => withDashboard(config, ({ listeners }) => Promise.resolve(listeners[0]?.host)),
  },
  {
    file,
    key: 'keystore.file_name',
    first: 'one.p12',
    second: 'two.p12',
    given: `${anyPort}[keystore]\npassword = "right"\nkey_password = "right"\n`,
    observe: shownName,
  },
  {
    file,
    key: 'keystore.password',
    first: 'right',
    second: 'wrong',
    given: `${anyPort}[keystore]\nfile_name = "one.p12"\nkey_password = "right"\n`,
    observe: shownName,
  },
  {
    file,
    key: 'truststore.file_name',
    first: 'one.p12',
    second: 'missing.p12',
    given: `${anyPort}[truststore]\npassword = "right"\n`,
    observe: shownName,
  },
  {
    file,
    key: 'truststore.password',
    first: 'right',
    second: 'wrong',
    given: `${anyPort}[truststore]\nfile_name = "one.p12"\n`,
    observe: shownName,
  },
  {
    file,
    key: 'internal_apis.file_user_store.enable',
    first: true,
    second: false,
    given: `${anyPort}${user}`,
    observe: signInAs('ada', 'right'),
  },
  {
    file,
    key: 'internal_apis.users.user.name',
    first: 'ada',
    second: 'bob',
    given: `${anyPort}${user.replace('user.name = "ada"\n', '')}`,
    observe: signInAs('ada', 'right'),
  },
  {
    file,
    key: 'internal_apis.users.user.password',
    first: 'right',
    second: 'wrong',
    given: `${anyPort}${user.replace('user.password = "right"\n', '')}`,
    observe: signInAs('ada', 'right'),
  },
  {
    file,
    key: 'internal_apis.users.user.is_admin',
    first: true,
    second: false,
    given: `${anyPort}${user.replace('user.is_admin = true\n', '')}`,
    observe: signInAs('ada', 'right'),
  },
  ssoRow('enable', true, false),
  ssoRow('client_id', 'console', 'another'),
  ssoRow('base_url', 'https://idp', 'https://other'),
  ssoRow('jwt_issuer', 'https://idp', 'https://other'),
  ssoRow('override_well_known_endpoint', true, false),
  ssoRow('well_known_endpoint', '/a/openid-configuration', '/b/openid-configuration', sso),
  ssoRow('jwks_endpoint', '/jwks', '/keys'),
  ssoRow('authorization_endpoint', '/a', '/b'),
  ssoRow('token_endpoint', '/a', '/b'),
  ssoRow('user_info_endpoint', '/me', '/me/2'),
  ssoRow('revocation_endpoint', '/a', '/b'),
  ssoRow('introspection_endpoint', '/check', '/check/2'),
  ssoRow('end_session_endpoint', '/a', '/b'),
  ssoRow('sign_in_redirect_URL', 'https://one:9743/sso', 'https://two:9743/sso'),
  ssoRow('sign_out_redirect_URL', 'https://one:9743', 'https://two:9743'),
  ssoRow('admin_group_attribute', 'groups', 'teams', `${manual}admin_groups = ["ops"]\n`),
  ssoRow('admin_groups', ['ops'], ['others']),
  ssoRow('enable_PKCE', true, false),
  ssoRow('scope', ['openid'], ['openid', 'profile']),
  ssoRow('user_name_attribute', 'sub', 'name'),
  ssoRow('additional_trusted_audience', ['shared'], ['another']),
  ssoRow('client_secret', 'one', 'two'),
  ssoRow('jwks_algorithm', 'RS256', 'ES256'),
  {
    file,
    key: 'sso.resource_server_URLs',
    first: ['https://portal.example'],
    second: ['https://localhost:9743'],
    given: `${anyPort}${sso}`,
    observe: corsOrigin,
  },
  {
    file,
    key: 'sso.send_cookies_in_requests',
    first: true,
    second: false,
    given: `${anyPort}${sso}resource_server_URLs = ["https://portal.example"]\n`,
    observe: (config) => corsHeader(config, 'Access-Control-Allow-Credentials'),
  },
  {
    file,
    key: 'sso.storage',
    first: 'localStorage',
    second: 'webWorker',
    given: manual,
    alone: true,
    observe(config) {
      const lines: string[] = [];
      configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } });
      readDashboardSettings(config);
      configureLog({ level: 'silent', format: 'json' });
      return lines.filter((line) => line.includes('sso.storage')).length;
    },
  },
  {
    file,
    key: 'sso.authorization_request.params.key',
    first: 'fidp',
    second: 'prompt',
    given: `${manual}[[sso.authorization_request.params]]\nvalue = "x"\n`,
    observe: singleSignOn,
  },
  {
    file,
    key: 'sso.authorization_request.params.value',
    first: 'x',
    second: 'y',
    given: `${manual}[[sso.authorization_request.params]]\nkey = "fidp"\n`,
    observe: singleSignOn,
  },
];
