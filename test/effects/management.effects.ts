import { basic, bearer, call, twoUsers } from '../helpers/management-calls.ts';
import type { EffectRow } from './effect-row.ts';
import { ask, inServer, outcome, ports } from './effect-server.ts';
import { comesTrue } from './patience.ts';

const accounts = `${ports}
${twoUsers()}`;

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

/** CORS headers of a preflight. */
function corsOf(text: string): Promise<readonly unknown[]> {
  return inServer(text, {}, async (server) => {
    const headers = { Origin: 'https://console.example' };
    const preflight = await call(server, 'OPTIONS /apis', { headers });
    return [preflight.headers['access-control-allow-origin'], preflight.headers['access-control-allow-headers']];
  });
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
        const metrics = `${server.url('Probes and metrics')}/metric-service/metrics`;
        const isClean = async (): Promise<boolean> => /^millrace_management_sessions 0$/m.test(await outcome(metrics));
        return await comesTrue(isClean, text.includes('clean_up_interval" = 1\n'), 2300);
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
];
