import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Config } from '#config';
import { startFakeRuntime } from '../helpers/fake-runtime.ts';
import { eventually } from '../helpers/test-dashboard.ts';
import { anyPort, withDashboard } from './effect-dashboard.ts';
import type { EffectRow } from './effect-row.ts';
import { comesTrue } from './patience.ts';

const file = 'dashboard';

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
function readTogether(config: Config, text: string): Promise<unknown> {
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
    await comesTrue(() => open > 1, text.includes('"pool_size" = 3'), 300);
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

const account = '[mi_user_store]\nusername = "admin"\npassword = "runtime-secret"\n';
const user = '[[internal_apis.users]]\nuser.name = "ada"\nuser.password = "right"\nuser.is_admin = true\n';

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
];
