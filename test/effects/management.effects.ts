import { setTimeout as pause } from 'node:timers/promises';
import type { TemporaryServer } from '../helpers/temporary-server.ts';
import type { EffectRow } from './effect-row.ts';
import {
  apiOf,
  ask,
  inServer,
  ports,
  startBackEnd,
  trust,
  trustStore,
  pair,
  type Answer,
  type Ask,
  type Files,
} from './effect-server.ts';

const accounts = `${ports}
[[internal_apis.users]]
user.name = "root"
user.password = "root"
user.is_admin = true
[[internal_apis.users]]
user.name = "guest"
user.password = "guest"
`;

function basic(user: string, password: string = user): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** Calls the management API. */
async function call(server: TemporaryServer, request: string, options: Ask = {}): Promise<Answer> {
  const [method = 'GET', path = ''] = request.split(' ');
  const answer = await ask(`${server.url('Management')}/management${path}`, { method, ...options });
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

/** Signs in and gives the header of later calls. */
async function bearer(server: TemporaryServer, user = 'root'): Promise<Record<string, string>> {
  const { body } = await call(server, 'GET /login', { headers: basic(user) });
  return { Authorization: `Bearer ${(JSON.parse(body) as { AccessToken: string }).AccessToken}` };
}

/** The status of one request as a user. */
function statusOf(text: string, request: string, user: string, body?: unknown): Promise<number> {
  return inServer(text, {}, async (server) => {
    const headers = { ...(await bearer(server, user)), 'Content-Type': 'application/json' };
    return (await call(server, request, { headers, ...(body !== undefined && { body: JSON.stringify(body) }) })).status;
  });
}

/** The status of a sign-in. */
function signIn(text: string, user: string, password: string): Promise<number> {
  return inServer(
    text,
    {},
    async (server) => (await call(server, 'GET /login', { headers: basic(user, password) })).status,
  );
}

/** What a capable client sees of each token after three sign-ins. */
function threeSessions(text: string): Promise<readonly number[]> {
  return inServer(text, {}, async (server) => {
    const signIns = [];
    for (let count = 0; count < 3; count++) signIns.push(await call(server, 'GET /login', { headers: basic('root') }));
    return signIns.map(({ status }) => status);
  });
}

/** The claims and the length of the signature of a token. */
function tokenFacts(text: string): Promise<{ life: number; signature: number }> {
  return inServer(text, {}, async (server) => {
    const { Authorization = '' } = await bearer(server);
    const [, claims = '', signature = ''] = Authorization.slice('Bearer '.length).split('.');
    const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number; exp: number };
    return { life: exp - iat, signature: Buffer.from(signature, 'base64url').length };
  });
}

/** What is answered to an administrator who wants to end the server, and what a console is told. */
function endedBy(text: string, status: string): Promise<readonly unknown[]> {
  return inServer(text, {}, async (server) => {
    const headers = { ...(await bearer(server)), 'Content-Type': 'application/json' };
    const answer = await call(server, 'PATCH /server', { headers, body: JSON.stringify({ status }) });
    const facts = JSON.parse((await call(server, 'GET /server', { headers })).body) as Record<string, unknown>;
    return [answer.status, facts['disabledActions']];
  });
}

/** CORS headers of an answer and of a preflight. */
function corsOf(text: string): Promise<readonly unknown[]> {
  return inServer(text, {}, async (server) => {
    const headers = { Origin: 'https://console.example' };
    const preflight = await call(server, 'OPTIONS /apis', { headers });
    return [preflight.headers['access-control-allow-origin'], preflight.headers['access-control-allow-headers']];
  });
}

/** A flow with something to record. */
const flow = apiOf(
  '<property name="seen" value="1"/><variable name="found" value="2"/><payloadFactory media-type="json"><format>{"a":1}</format></payloadFactory><respond/>',
);

const traced: Files = {
  'artifacts/api/t.xml': String(flow['artifacts/api/t.xml']).replace('context="/t"', 'context="/t" trace="enable"'),
};
const counted: Files = {
  'artifacts/api/t.xml': String(flow['artifacts/api/t.xml']).replace(
    'context="/t"',
    'context="/t" statistics="enable"',
  ),
};

/** The parts of a message that a trace recorded. */
function recordedParts(text: string): Promise<readonly string[]> {
  return inServer(text, traced, async (server) => {
    await ask(`${server.url('API HTTP')}/t`);
    const headers = await bearer(server);
    const { steps } = JSON.parse((await call(server, 'GET /millrace/traces/1', { headers })).body) as {
      steps: { before?: object; after?: object }[];
    };
    const parts = steps.flatMap(({ before, after }) => [...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
    return [...new Set(parts.filter((part) => /^(?:payload|default:seen|variable:found)$/.test(part)))];
  });
}

/** How many mediators were counted, and the counts of the current window after `wait` milliseconds. */
function countedMediators(text: string, files: Files, wait = 0): Promise<readonly unknown[]> {
  return inServer(text, files, async (server) => {
    await ask(`${server.url('API HTTP')}/t`);
    await pause(wait);
    const headers = await bearer(server);
    const { list } = JSON.parse((await call(server, 'GET /millrace/counters', { headers })).body) as {
      list: { count: number; window: { count: number } }[];
    };
    return list.map(({ count, window }) => [count, window.count]);
  });
}

/** The heartbeats that a dashboard got, and how many within `wait` milliseconds. */
async function heartbeats(text: string, wait = 0): Promise<readonly unknown[]> {
  const beats: Record<string, unknown>[] = [];
  const first = Promise.withResolvers<void>();
  await using dashboard = await startBackEnd(
    (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        beats.push({ ...(JSON.parse(body) as object), at: request.url, proof: request.headers.authorization });
        response.end('{"status":"success"}');
        first.resolve();
      });
    },
    { key: pair.privateKeyPem, cert: pair.certificatePem },
  );
  const configured = text.replace('DASHBOARD', `https://localhost:${dashboard.port}`);
  await inServer(configured, trustStore, async () => {
    await first.promise;
    await pause(wait);
  });
  return beats;
}

const dashboard = `${trust}[dashboard_config]\ndashboard_url = "DASHBOARD/dashboard/api/"\n`;

/** One field of the first heartbeat. */
async function heartbeatField(text: string, name: string): Promise<unknown> {
  const [beat] = (await heartbeats(text)) as Record<string, unknown>[];
  return beat?.[name];
}

export const rows: readonly EffectRow[] = [
  {
    key: 'management_api.protocols',
    first: 'https',
    second: 'http',
    given: ports,
    observe: (_, text) =>
      inServer(text, {}, async (server) => {
        const addresses = [server.url('Management'), server.url('Probes and metrics')];
        const answers = await Promise.all(addresses.map((url) => ask(`${url}/management`)));
        return answers.map((answer) => (typeof answer === 'string' ? answer : answer.status));
      }),
  },
  {
    key: 'management_api.jwt_token_security_handler.enable',
    first: true,
    second: false,
    given: ports,
    observe: (_, text) => inServer(text, {}, async (server) => (await call(server, 'GET /apis')).status),
  },
  {
    key: 'management_api.basic_security_handler.enable',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) =>
      inServer(text, {}, async (server) => (await call(server, 'GET /apis', { headers: basic('root') })).status),
  },
  {
    key: 'management_api.jwt_token_security_handler.token_store_config.max_size',
    first: 2,
    second: 3,
    given: `${accounts}\n[management_api]\njwt_token_security_handler.token_store_config.remove_oldest_token_on_overflow = false\n`,
    observe: (_, text) => threeSessions(text),
  },
  {
    key: 'management_api.jwt_token_security_handler.token_store_config.remove_oldest_token_on_overflow',
    first: true,
    second: false,
    given: `${accounts}\n[management_api]\njwt_token_security_handler.token_store_config.max_size = 2\n`,
    observe: (_, text) => threeSessions(text),
  },
  {
    key: 'management_api.jwt_token_security_handler.token_config.expiry',
    first: 60,
    second: 120,
    given: accounts,
    observe: async (_, text) => (await tokenFacts(text)).life,
  },
  {
    key: 'management_api.jwt_token_security_handler.token_config.size',
    first: 2048,
    second: 3072,
    given: accounts,
    observe: async (_, text) => (await tokenFacts(text)).signature,
  },
  {
    key: 'management_api.jwt_token_security_handler.token_store_config.clean_up_interval',
    first: 1,
    second: 60,
    given: `${accounts}\n[management_api]\njwt_token_security_handler.token_config.expiry = 1\n`,
    observe: (_, text) =>
      inServer(text, {}, async (server) => {
        await bearer(server);
        await pause(2300);
        const metrics = await ask(`${server.url('Probes and metrics')}/metric-service/metrics`);
        return typeof metrics === 'string' ? metrics : /^millrace_management_sessions .*$/m.exec(metrics.body)?.[0];
      }),
  },
  {
    key: 'management_api.authorization_handler.enable',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => statusOf(text, 'GET /configs?configName=correlation', 'guest'),
  },
  {
    key: 'management_api.cors.enable',
    first: true,
    second: false,
    given: ports,
    observe: (_, text) => corsOf(text),
  },
  {
    key: 'management_api.cors.allowed_origins',
    first: ['https://console.example'],
    second: ['https://other.example'],
    given: ports,
    observe: (_, text) => corsOf(text),
  },
  {
    key: 'management_api.cors.allowed_headers',
    first: ['Authorization'],
    second: ['Authorization', 'X-Own'],
    given: ports,
    observe: (_, text) => corsOf(text),
  },
  {
    key: 'internal_apis.users.user.name',
    first: 'one',
    second: 'two',
    given: `${ports}[[internal_apis.users]]\nuser.password = "p"\n`,
    observe: (_, text) => signIn(text, 'one', 'p'),
  },
  {
    key: 'internal_apis.users.user.password',
    first: 'one',
    second: 'two',
    given: `${ports}[[internal_apis.users]]\nuser.name = "u"\n`,
    observe: (_, text) => signIn(text, 'u', 'one'),
  },
  {
    key: 'internal_apis.users.user.is_admin',
    first: true,
    second: false,
    given: `${ports}[[internal_apis.users]]\nuser.name = "u"\nuser.password = "u"\n`,
    observe: (_, text) => statusOf(text, 'GET /configs?configName=correlation', 'u'),
  },
  {
    key: 'internal_apis.file_user_store.enable',
    first: true,
    second: false,
    given: `${ports}[super_admin]\nusername = "boss"\npassword = "boss"\n[[internal_apis.users]]\nuser.name = "u"\nuser.password = "u"\n[internal_apis]\n`,
    observe: async (_, text) => [await signIn(text, 'u', 'u'), await signIn(text, 'boss', 'boss')],
  },
  {
    key: 'user_access.make_non_admin_users_read_only',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => statusOf(text, 'POST /endpoints', 'guest', { name: 'none', status: 'active' }),
  },
  {
    key: 'mediation.flow.statistics.enable',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => countedMediators(text, counted),
  },
  {
    key: 'mediation.flow.statistics.capture_all',
    first: true,
    second: false,
    given: accounts.replace('[mediation]\n', '[mediation]\nflow.statistics.enable = true\n'),
    observe: (_, text) => countedMediators(text, flow),
  },
  {
    key: 'mediation.statistics.enable_clean',
    first: true,
    second: false,
    given: accounts.replace(
      '[mediation]\n',
      '[mediation]\nflow.statistics.enable = true\nstatistics.clean_interval = "20ms"\n',
    ),
    observe: (_, text) => countedMediators(text, counted, 200),
  },
  {
    key: 'mediation.statistics.clean_interval',
    first: '20ms',
    second: '60s',
    given: accounts.replace('[mediation]\n', '[mediation]\nflow.statistics.enable = true\n'),
    observe: (_, text) => countedMediators(text, counted, 200),
  },
  {
    key: 'mediation.stat.tracer.collect_payloads',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => recordedParts(text),
  },
  {
    key: 'mediation.stat.tracer.collect_mediation_properties',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => recordedParts(text),
  },
  {
    key: 'mediation.stat.tracer.collect_mediation_variables',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => recordedParts(text),
  },
  {
    key: 'server.disable_shutdown_from_ui',
    first: false,
    second: true,
    given: accounts,
    observe: (_, text) => endedBy(text, 'shutdown'),
  },
  {
    key: 'server.disable_restart_from_ui',
    first: false,
    second: true,
    given: accounts,
    observe: (_, text) => endedBy(text, 'restart'),
  },
  {
    key: 'dashboard_config.dashboard_url',
    first: 'DASHBOARD/one',
    second: 'DASHBOARD/two',
    given: trust,
    observe: (_, text) => heartbeatField(text, 'at'),
  },
  {
    key: 'millrace.heartbeat_secret',
    first: 'one',
    second: 'two',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'proof'),
  },
  {
    key: 'dashboard_config.heartbeat_interval',
    first: 1,
    second: 30,
    given: dashboard,
    observe: async (_, text) => (await heartbeats(text, 1500)).length > 1,
  },
  {
    key: 'dashboard_config.group_id',
    first: 'blue',
    second: 'green',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'groupId'),
  },
  {
    key: 'dashboard_config.node_id',
    first: 'one',
    second: 'two',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'nodeId'),
  },
  {
    key: 'dashboard_config.management_hostname',
    first: 'one.example',
    second: 'two.example',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'mgtApiUrl'),
  },
  {
    key: 'dashboard_config.management_port',
    first: 1443,
    second: 2443,
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'mgtApiUrl'),
  },
];
