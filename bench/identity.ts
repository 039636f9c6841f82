// `node tools/with-node.mjs bench/identity.ts [SCENARIO…] [--rounds N] [--seconds N] [--connections N]`
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createHome, systemClock } from '#core';
import { openDatabase, type Database } from '#db';
import { createProtection, newClient, oauthSchema, superTenant, usersSchema } from '#identity';
import { createClients } from '../src/identity/oauth/client-store.ts';
import { freeOffset, freePort } from '../test/helpers/free-port.ts';
import { TokenStore } from '../src/identity/oauth/token-store.ts';
import { newOpaqueValue } from '../src/identity/oauth/token-values.ts';
import type { TokenOrder } from '../src/identity/oauth/tokens.ts';
import { benchClient, clientCount, refreshCount, refreshTokensOfRun } from './identity-clients.ts';
import { sendLoad, type Load, type Measured } from './load.ts';
import { coreOf, describeMachine, isInstalled } from './machine.ts';
import { median } from './median.ts';
import { cpuTime, pinned, start, type Running } from './process.ts';
import { alignColumns } from './table.ts';

interface Program {
  readonly name: string;
  readonly running: Running;
  readonly token: string;
  readonly introspect: string;
  /** A file with refresh tokens of the first client, one a line. */
  readonly refreshTokens: string;
}

interface Scenario {
  readonly name: string;
  readonly programs: readonly string[];
  /** Lua that gives the next request. */
  readonly lua: (program: Program, tokens: readonly string[]) => string;
  readonly path: 'token' | 'introspect';
  /** Gets the tokens that the requests need. */
  readonly prepare?: (program: Program) => Promise<readonly string[]>;
}

const basicOf = `
local b = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
local function enc(data)
  return ((data:gsub('.', function(x)
    local r, c = '', x:byte()
    for i = 8, 1, -1 do r = r .. (c % 2 ^ i - c % 2 ^ (i - 1) > 0 and '1' or '0') end
    return r
  end) .. '0000'):gsub('%d%d%d?%d?%d?%d?', function(x)
    if (#x < 6) then return '' end
    local c = 0
    for i = 1, 6 do c = c + (x:sub(i, i) == '1' and 2 ^ (6 - i) or 0) end
    return b:sub(c + 1, c + 1)
  end) .. ({ '', '==', '=' })[#data % 3 + 1])
end
local count, number, requests, run = ${clientCount}, 0, {}, os.time()
for i = 0, 1999 do
  local id = (i * 5) % count
  requests[i] = enc('client' .. id .. ':secret-of-client-' .. id .. '-0123456789')
end
`;

/** `body` is Lua for the text of the body; `number` counts the requests. */
const next = (path: string, body: string): string => `${basicOf}
request = function()
  number = number + 1
  return wrk.format('POST', '${path}', {
    ['Content-Type'] = 'application/x-www-form-urlencoded', ['Authorization'] = 'Basic ' .. requests[number % 2000]
  }, ${body})
end
`;

/** A run takes its refresh tokens out of the file; each answer brings the one of a later request. */
const renewing = (path: string, file: string): string => `${basicOf}
local first = enc('${benchClient(0).id}:${benchClient(0).secret}')
local tokens, others, at, last = {}, {}, 0, 0
for line in io.lines('${file}') do
  if last < ${refreshTokensOfRun} then last = last + 1; tokens[last] = line else others[#others + 1] = line end
end
local rest = io.open('${file}', 'w')
rest:write(table.concat(others, '\\n'))
rest:close()
request = function()
  at = at + 1
  return wrk.format('POST', '${path}', {
    ['Content-Type'] = 'application/x-www-form-urlencoded', ['Authorization'] = 'Basic ' .. first
  }, 'grant_type=refresh_token&refresh_token=' .. (tokens[at] or 'none'))
end
response = function(status, headers, body)
  last = last + 1
  tokens[last] = body:match('"refresh_token":"([^"]+)"')
end
`;

const jwtTokens = '[oauth.extensions]\ntoken_generator = "org.wso2.carbon.identity.oauth2.token.JWTTokenIssuer"\n';

/** Another scope for each request, so that each makes a new row, and none takes the place of another. */
const ownScope = `'grant_type=client_credentials&scope=s' .. run .. '-' .. number`;

const scenarios: readonly Scenario[] = [
  {
    name: 'opaque',
    programs: ['Millrace', 'oidc-provider'],
    path: 'token',
    lua: ({ token }) => next(new URL(token).pathname, ownScope),
  },
  {
    name: 'opaque-renewing',
    programs: ['Millrace renewing'],
    path: 'token',
    lua: ({ token }) => next(new URL(token).pathname, `'grant_type=client_credentials'`),
  },
  {
    // The peer has no way of giving a token again, and makes another one.
    name: 'reuse',
    programs: ['Millrace', 'oidc-provider'],
    path: 'token',
    lua: ({ token }) => next(new URL(token).pathname, `'grant_type=client_credentials'`),
  },
  {
    name: 'refresh',
    programs: ['Millrace', 'oidc-provider'],
    path: 'token',
    lua: ({ token, refreshTokens }) => renewing(new URL(token).pathname, refreshTokens),
  },
  {
    name: 'jwt',
    programs: ['Millrace RS256', 'Millrace ES256'],
    path: 'token',
    lua: ({ token }) => next(new URL(token).pathname, ownScope),
  },
  {
    name: 'introspect',
    programs: ['Millrace', 'oidc-provider'],
    path: 'introspect',
    prepare: oneToken,
    lua: ({ introspect }, [token = '']) => next(new URL(introspect).pathname, `'token=${token}'`),
  },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
  },
});
const names = scenarios.map(({ name }) => name);
if (!positionals.every((name) => names.includes(name)) || !isInstalled('wrk', '-v')) {
  console.error(`Scenarios: ${names.join(', ')}. wrk must be installed.`);
  process.exit(2);
}

const { processor, cores, load, node } = describeMachine();
console.log(`${processor}, ${cores} cores, load ${load}, Node ${node}; SQLite, WAL, synchronous = NORMAL`);
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const programs: Program[] = [];
try {
  programs.push(await startSubject('Millrace', ''));
  programs.push(
    await startSubject('Millrace renewing', '[oauth.token_renewal]\nrenew_access_token_per_request = true\n'),
  );
  programs.push(await startSubject('Millrace RS256', jwtTokens));
  programs.push(
    await startSubject('Millrace ES256', `${jwtTokens}[oauth.oidc.id_token]\nsignature_algorithm = "ES256"\n`),
  );
  programs.push(await startPeer());
  const rows: string[][] = [];
  for (const scenario of scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    const taking = programs.filter(({ name }) => scenario.programs.includes(name));
    rows.push(...(await measure(scenario, taking)));
  }
  const head = ['scenario', 'program', 'req/s', 'CPU µs/req', 'p50 ms', 'p99 ms', 'errors'];
  console.log(`\n${alignColumns([head, ...rows])}`);
} finally {
  for (const { running } of programs.reverse()) await running.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function startSubject(name: string, toml: string): Promise<Program> {
  const home = createHome(join(folder, name.replaceAll(' ', '-')));
  const offset = await freeOffset();
  mkdirSync(home.conf, { recursive: true });
  writeFileSync(home.configuration, toml);
  {
    await using database = await openDatabase({ home, schemas: [oauthSchema, usersSchema] });
    const clients = createClients({
      database,
      clock: systemClock,
      protection: createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined }),
      cacheTime: 60_000,
      tenantOf: () => superTenant,
      revokeAll: async () => 0,
    });
    for (let index = 0; index < clientCount; index++) {
      const { id, secret } = benchClient(index);
      const grantTypes = ['client_credentials', 'refresh_token'];
      await clients.create(newClient({ id, tenant: superTenant, name: id, owner: 'admin', grantTypes }), secret);
    }
    writeFileSync(join(home.directory, 'refresh-tokens'), (await refreshTokens(database)).join('\n'));
  }
  const command = [process.execPath, join(import.meta.dirname, '../src/cli/main.ts')];
  const args = ['start', '--home', home.directory, '--offset', String(offset), '--log-level', 'error'];
  const running = start(pinned(coreOf('measured'), [...command, ...args]));
  const base = `http://127.0.0.1:${9763 + offset}`;
  await untilAnswered(`${base}/oauth2/jwks`, running);
  const refreshFile = join(home.directory, 'refresh-tokens');
  return {
    name,
    running,
    token: `${base}/oauth2/token`,
    introspect: `${base}/oauth2/introspect`,
    refreshTokens: refreshFile,
  };
}

/** Refresh tokens as a sign-in by another identity provider would have given them. */
async function refreshTokens(database: Database): Promise<readonly string[]> {
  const protection = createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined });
  const settings = { skew: 0, renewsAccessToken: false, cleansUp: true, retainsForAudit: false, retries: 5 };
  const store = new TokenStore({ database, protection, clock: systemClock, settings });
  const access = (issuedAt: number) => {
    const value = newOpaqueValue(issuedAt);
    return { value, alias: value };
  };
  const issue = async (index: number): Promise<string> => {
    const id = `user-${index}`;
    const order: TokenOrder = {
      tenant: superTenant,
      clientId: benchClient(0).id,
      subject: { id, name: id, storeDomain: '', tenant: superTenant, type: 'federated', identityProvider: 'partner' },
      grantType: 'authorization_code',
      scopes: ['offline_access', 'orders'],
      binding: '',
      accessLifetime: 3_600_000,
      refreshLifetime: 86_400_000,
      form: 'opaque',
      authenticatedAt: undefined,
    };
    return (await store.issue(order, { access, refresh: newOpaqueValue })).refreshToken ?? '';
  };
  return Promise.all(Array.from({ length: refreshCount }, (_, index) => issue(index)));
}

async function startPeer(): Promise<Program> {
  const port = await freePort();
  const args = [
    join(import.meta.dirname, 'oidc-peer.ts'),
    String(port),
    join(folder, 'peer.sqlite'),
    String(clientCount),
  ];
  const running = start(pinned(coreOf('measured'), [process.execPath, ...args]), { NODE_ENV: 'production' });
  const base = `http://127.0.0.1:${port}`;
  await untilAnswered(`${base}/jwks`, running);
  return {
    name: 'oidc-provider',
    running,
    token: `${base}/token`,
    introspect: `${base}/token/introspection`,
    refreshTokens: join(folder, 'peer.sqlite.tokens'),
  };
}

type Run = Measured & { readonly cpu: number };

/** Puts the programs under load in turn, so that what else happens on the machine happens to all of them. */
async function measure(scenario: Scenario, taking: readonly Program[]): Promise<string[][]> {
  const lanes = await Promise.all(taking.map((program) => laneOf(scenario, program)));
  for (const { load } of lanes) await sendLoad({ ...load, seconds: 1 }, folder);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { program, load, runs } of lanes) {
      const before = cpuTime(program.running.pid);
      const measured = await sendLoad(load, folder);
      runs.push({ ...measured, cpu: (cpuTime(program.running.pid) - before) / measured.requests });
    }
  }
  return lanes.map(({ program, runs }) => rowOf(scenario, program, runs));
}

interface Lane {
  readonly program: Program;
  readonly load: Load;
  readonly runs: Run[];
}

async function laneOf(scenario: Scenario, program: Program): Promise<Lane> {
  const given = scenario.prepare === undefined ? [] : await scenario.prepare(program);
  const load: Load = {
    url: program[scenario.path],
    script: scenario.lua(program, given),
    method: 'POST',
    bodyBytes: 0,
    connections: Number(values.connections),
    seconds: Number(values.seconds),
  };
  return { program, load, runs: [] };
}

function rowOf(scenario: Scenario, program: Program, runs: readonly Run[]): string[] {
  const of = (pick: (run: Run) => number): number => median(runs.map(pick));
  return [
    scenario.name,
    program.name,
    of(({ requests, seconds }) => requests / seconds).toFixed(0),
    of(({ cpu }) => cpu).toFixed(0),
    of(({ p50 }) => p50 / 1000).toFixed(2),
    of(({ p99 }) => p99 / 1000).toFixed(2),
    String(of(({ errors }) => errors)),
  ];
}

async function oneToken({ token }: Program): Promise<readonly string[]> {
  const { id, secret } = benchClient(0);
  const answer = await fetch(token, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return [String(((await answer.json()) as { access_token: unknown }).access_token)];
}

async function untilAnswered(url: string, running: Running): Promise<void> {
  while (!running.hasEnded()) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await sleep(20);
  }
  throw new Error(`${url} did not answer`);
}
