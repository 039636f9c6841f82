import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '#errors';
import { readSettings } from '#server';
import type { TemporaryServer } from '../helpers/temporary-server.ts';
import type { EffectRow } from './effect-row.ts';
import { ask, askApi, inServer, outcome, ports, proxyTo, showing, startBackEnd } from './effect-server.ts';
import { comesTrue } from './patience.ts';

/** The body of the answer to a request, read as JSON. */
async function json(url: string): Promise<unknown> {
  const answer = await ask(url);
  return typeof answer === 'string' ? answer : JSON.parse(answer.body);
}

/** The `servers` of a definition. */
async function serversOf(url: string): Promise<unknown> {
  const { servers } = (await json(url)) as { servers?: { url: string }[] };
  return servers?.map((server) => server.url.replace(/:\d+/, ''));
}

/** Status of a sign-in to the management API. */
async function signIn(server: TemporaryServer, user: string, password: string): Promise<number | string> {
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  const answer = await ask(`${server.url('Management')}/management/login`, {
    headers: { Authorization: `Basic ${credentials}` },
  });
  return typeof answer === 'string' ? answer : answer.status;
}

const names = (text: string): Promise<string[]> =>
  inServer(text, {}, async ({ server }) => server.addresses.map(({ name }) => name));

/** What a caller behind `X-Forwarded-For` looks like to a flow. */
function callerSeen(text: string): Promise<string> {
  return askApi(text, showing("get-property('axis2', 'REMOTE_ADDR')"), {
    headers: { 'X-Forwarded-For': '203.0.113.9' },
  });
}

/** What a request gets that a stop of the server meets half-way. */
async function stopUnderWay(text: string): Promise<string> {
  const underWay = Promise.withResolvers<void>();
  await using backEnd = await startBackEnd((_, response) => {
    underWay.resolve();
    void pause(4000).then(() => response.end('done'));
  });
  return await inServer(text, proxyTo(backEnd.url), async (server) => {
    const answer = outcome(`${server.url('API HTTP')}/t`);
    await underWay.promise;
    await server.server.stop();
    return answer;
  });
}

/** Whether an artifact that is added later answers. */
function laterArtifact(text: string): Promise<string> {
  return inServer(text, {}, async (server) => {
    server.write('artifacts/api/t.xml', String(Object.values(showing("'later'"))[0]));
    let answer = '';
    await comesTrue(async () => {
      answer = await outcome(`${server.url('API HTTP')}/t`);
      return answer.startsWith('200');
    }, text.includes('"hot_deployment" = true'));
    return answer;
  });
}

export const rows: readonly EffectRow[] = [
  {
    key: 'server.hostname',
    first: 'one.example',
    second: 'two.example',
    given: ports,
    observe: (_, text) =>
      inServer(text, showing("'x'"), (server) => serversOf(`${server.url('API HTTP')}/t?swagger.json`)),
  },
  {
    key: 'transport.passthru_http.listener.hostname',
    first: 'one.example',
    second: 'two.example',
    given: ports,
    observe: (_, text) =>
      inServer(text, showing("'x'"), (server) => serversOf(`${server.url('API HTTP')}/t?swagger.json`)),
  },
  {
    key: 'transport.passthru_https.listener.hostname',
    first: 'one.example',
    second: 'two.example',
    given: ports,
    observe: (_, text) =>
      inServer(text, showing("'x'"), (server) => serversOf(`${server.url('API HTTP')}/t?swagger.json`)),
  },
  {
    key: 'server.offset',
    first: 0,
    second: 10,
    observe(config) {
      const { apiHttp, apiHttps, probes, management } = readSettings(config, 0, true);
      return [apiHttp, apiHttps, probes, management].map(({ port }) => port);
    },
  },
  {
    key: 'server.base_path',
    first: 'https://${carbon.host}',
    second: 'https://gateway.example/portal',
    given: ports,
    observe: (_, text) =>
      inServer(text, {}, (server) => serversOf(`${server.url('Management')}/management/openapi.json`)),
  },
  {
    key: 'server.proxy_context_path',
    first: '/one',
    second: 'two',
    given: ports,
    observe: (_, text) =>
      inServer(text, {}, async (server) => {
        const base = server.url('Server HTTPS');
        const document = await outcome(`${base}/oauth2/token/.well-known/openid-configuration`);
        const answer = await ask(`${base}/oauth2/authorize?client_id=nobody&response_type=code`);
        return [/"issuer": ?"https:\/\/[^/]+([^"]*)"/.exec(document)?.[1], answer];
      }),
  },
  {
    key: 'server.node_ip',
    first: '192.0.2.1',
    second: '192.0.2.2',
    given: ports,
    observe: (_, text) => askApi(text, showing("get-property('system', 'carbon.local.ip')")),
  },
  {
    key: 'server.server_role',
    first: 'default',
    second: 'traffic-manager',
    given: ports,
    observe: (_, text) => names(text),
  },
  { key: 'server.hot_deployment', first: true, second: false, given: ports, observe: (_, text) => laterArtifact(text) },
  {
    key: 'server.graceful_shutdown_enabled',
    first: true,
    second: false,
    given: ports,
    observe: (_, text) => stopUnderWay(text),
  },
  {
    key: 'server.graceful_shutdown_timeout',
    first: 300,
    second: 60_000,
    given: ports,
    observe: (_, text) => stopUnderWay(text),
  },
  {
    key: 'passthru_http.transport.listener.shutdown.wait.sec',
    first: 1,
    second: 60,
    given: ports,
    observe: (_, text) => stopUnderWay(text),
  },
  {
    key: 'super_admin.username',
    first: 'alice',
    second: 'bob',
    given: `${ports}[super_admin]\npassword = "pass"\n`,
    observe: (_, text) => inServer(text, {}, (server) => signIn(server, 'alice', 'pass')),
  },
  {
    key: 'super_admin.password',
    first: 'spring',
    second: 'summer',
    given: `${ports}[super_admin]\nusername = "alice"\n`,
    observe: (_, text) => inServer(text, {}, (server) => signIn(server, 'alice', 'spring')),
  },
  {
    key: 'super_admin.create_admin_account',
    first: true,
    second: false,
    given: ports,
    async observe(_, text) {
      try {
        return await inServer(text, {}, async ({ home }) => existsSync(join(home, 'data/admin.json')));
      } catch (error) {
        return messageOf(error);
      }
    },
  },
  {
    key: 'system.parameter.team',
    first: 'blue',
    second: 'green',
    given: ports,
    observe: (_, text) => askApi(text, showing("get-property('system', 'team')")),
  },
  {
    key: 'millrace.bind',
    first: ['127.0.0.1'],
    second: ['0.0.0.0'],
    given: ports,
    observe: (_, text) => inServer(text, {}, async ({ server }) => server.addresses.map(({ isPublic }) => isPublic)),
  },
  {
    key: 'millrace.trusted_proxies',
    first: ['127.0.0.0/8', '::1'],
    second: ['192.0.2.0/24'],
    given: ports,
    observe: (_, text) => callerSeen(text),
  },
  {
    key: 'millrace.time_zone',
    first: 'Asia/Tokyo',
    second: 'America/New_York',
    given: ports,
    observe: (_, text) => askApi(text, showing("get-property('SYSTEM_DATE')")),
  },
];
