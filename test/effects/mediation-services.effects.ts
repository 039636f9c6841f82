import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { EffectRow } from './effect-row.ts';
import { startSilentPort } from './effect-socket.ts';
import { apiOf, askApi, inServer, outcome, ports, startBackEnd } from './effect-server.ts';
import { comesTrue } from './patience.ts';

/** Free ports, and more lines of the section. */
const withLines = (lines: string): string => ports.replace('[mediation]\n', `[mediation]\n${lines}`);

const parts = '<a><b>1</b><b>2</b><b>3</b></a>';
const post = { method: 'POST', headers: { 'Content-Type': 'application/xml' }, body: parts };

/**
 * Splits a message in three, each part being a blocking call; says how many there were, and how many at once.
 *
 * @param isWhole whether all three are made
 */
async function split(text: string, isWhole: boolean): Promise<string> {
  let present = 0;
  let most = 0;
  let all = 0;
  await using backEnd = await startBackEnd((_request, response) => {
    most = Math.max(most, ++present);
    all++;
    void pause(300).then(() => {
      present--;
      return response.end('ok');
    });
  });
  const target = `<call blocking="true"><endpoint><address uri="${backEnd.url}/"/></endpoint></call>`;
  const flow = apiOf(`<iterate expression="//b"><target><sequence>${target}</sequence></target></iterate>`);
  return await inServer(text, flow, async (server) => {
    await outcome(`${server.url('API HTTP')}/t`, post);
    await comesTrue(() => all === 3, isWhole, 500);
    return `${all} calls, ${most} at once`;
  });
}

function threads(name: string, values: readonly [number, number], others: string): EffectRow {
  const [first, second] = values;
  return {
    key: `mediation.synapse.${name}`,
    first,
    second,
    given: withLines(others),
    // One thread and no place to wait for it: the other parts are refused.
    observe: (_, text) => split(text, text.includes('core_threads" = ') || text.includes(`${name}" = ${second}\n`)),
  };
}

/** What two messages to a group get of which only the last member lives. */
async function failover(text: string): Promise<string[]> {
  const dead = await startBackEnd(() => undefined);
  await dead[Symbol.asyncDispose]();
  await using alive = await startBackEnd((_request, response) => response.end('alive'));
  const member = (url: string): string =>
    `<endpoint><address uri="${url}/"><suspendOnFailure><initialDuration>0</initialDuration></suspendOnFailure></address></endpoint>`;
  const group = `<endpoint><failover>${member(dead.url)}${member(alive.url)}</failover></endpoint>`;
  return await inServer(text, apiOf(`<send>${group}</send>`), async (server) => {
    const first = await outcome(`${server.url('API HTTP')}/t`);
    await pause(50);
    return [first, await outcome(`${server.url('API HTTP')}/t`)];
  });
}

/** A token server that is also a proxy: the token says who made it, and for whom. */
async function startTokens(name: string): Promise<number> {
  const server = createServer((request, response) => {
    const proxied = request.headers['proxy-authorization'] ?? 'nobody';
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ access_token: `${name}-${proxied}`, expires_in: 60 }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

const [one, two] = [await startTokens('one'), await startTokens('two')];

/** What a back end sees as the token that an endpoint got under the common connection settings. */
async function tokenOf(text: string, tokenUrl: string): Promise<string> {
  await using backEnd = await startBackEnd((request, response) => response.end(request.headers.authorization ?? ''));
  const grant = `<clientCredentials><clientId>me</clientId><clientSecret>s</clientSecret><tokenUrl>${tokenUrl}</tokenUrl>
    <useGlobalConnectionTimeoutConfigs>true</useGlobalConnectionTimeoutConfigs><useGlobalProxyConfigs>true</useGlobalProxyConfigs></clientCredentials>`;
  const http = `<http method="get" uri-template="${backEnd.url}/"><authentication><oauth>${grant}</oauth></authentication></http>`;
  return await askApi(text, apiOf(`<call><endpoint>${http}</endpoint></call><respond/>`));
}

function proxy(name: string, values: readonly [EffectRow['first'], EffectRow['first']]): EffectRow {
  const [first, second] = values;
  const lines: Readonly<Record<string, string>> = {
    host: 'http_client.global_proxy_host = "127.0.0.1"\n',
    port: `http_client.global_proxy_port = ${one}\n`,
    username: 'http_client.global_proxy_username = "alice"\n',
    password: 'http_client.global_proxy_password = "pass"\n',
  };
  const others = Object.entries(lines).flatMap(([other, line]) => (other === name ? [] : [line]));
  return {
    key: `mediation.http_client.global_proxy_${name}`,
    first,
    second,
    given: withLines(others.join('')),
    observe: (_, text) => tokenOf(text, 'http://localhost:1/token'),
  };
}

export const rows: readonly EffectRow[] = [
  threads('core_threads', [1, 3], 'synapse.max_threads = 3\nsynapse.threads_queue_length = -1\n'),
  threads('max_threads', [1, 3], 'synapse.core_threads = 1\nsynapse.threads_queue_length = 0\n'),
  threads('threads_queue_length', [0, 5], 'synapse.core_threads = 1\nsynapse.max_threads = 1\n'),
  {
    key: 'mediation.synapse.maximum_failover_retries',
    first: 0,
    second: 3,
    given: ports,
    observe: (_, text) => failover(text),
  },
  {
    key: 'mediation.synapse.suspend_duration_on_maximum_failover',
    first: 1,
    second: 60_000,
    given: withLines('synapse.maximum_failover_retries = 0\n'),
    observe: (_, text) => failover(text),
  },
  proxy('host', ['127.0.0.1', 'no-such-host.invalid']),
  proxy('port', [one, two]),
  proxy('username', ['alice', 'bob']),
  proxy('password', ['pass', 'word']),
  {
    key: 'mediation.http_client.global_socket_timeout',
    first: 100,
    second: 60_000,
    given: ports,
    async observe(_, text) {
      await using slow = await startBackEnd((_request, response) => {
        response.setHeader('Content-Type', 'application/json');
        void pause(600).then(() => response.end('{"access_token":"late","expires_in":60}'));
      });
      return await tokenOf(text, `${slow.url}/token`);
    },
  },
  {
    key: 'mediation.http_client.global_connection_timeout',
    first: 100,
    second: 60_000,
    given: ports,
    async observe(_, text) {
      // It accepts the connection and closes it later, without ever speaking TLS.
      await using silent = await startSilentPort(5000);
      const isShort = text.includes('global_connection_timeout" = 100');
      const waiting = pause(isShort ? 30_000 : 2500, 'still connecting', { ref: false });
      return await Promise.race([tokenOf(text, `https://127.0.0.1:${silent.port}/token`), waiting]);
    },
  },
];
