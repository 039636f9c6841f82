import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestClock, type TestClock } from '#core';
import { adminName, adminPassword, startIdentityServer, type IdentityServer } from '../helpers/identity-server.ts';
import { createScriptedBrowser } from '../helpers/scripted-browser.ts';
import { startTestDashboard, type TestDashboard } from '../helpers/test-dashboard.ts';

const redirect = 'https://localhost:9743/sso';

let server: IdentityServer;
let consoleClient: { client_id: string; client_secret: string };
let other: { client_id: string; client_secret: string };

before(async () => {
  server = await startIdentityServer();
  const metadata = { grant_types: ['authorization_code'], redirect_uris: [redirect] };
  consoleClient = await server.register({ client_name: 'Console', ...metadata });
  other = await server.register({ client_name: 'Something else', ...metadata });
  const answer = await server.fetch(`${server.origin}/scim2/Users`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Basic ${Buffer.from(`${adminName}:${adminPassword}`).toString('base64')}`,
    },
    body: JSON.stringify({ userName: 'grace', password: 'grace-password' }),
  });
  assert.equal(answer.status, 201, await answer.text());
});
after(() => server[Symbol.asyncDispose]());

/** A dashboard whose users are those of our own authorization server. */
function startDashboard(clock: TestClock, client = consoleClient): Promise<TestDashboard> {
  const toml = `[sso]
enable = true
client_id = "${client.client_id}"
client_secret = "${client.client_secret}"
base_url = "${server.origin}"
jwt_issuer = "${server.issuer.href}"
admin_group_attribute = "groups"
admin_groups = ["admin"]
scope = ["openid", "profile", "groups"]
user_name_attribute = "preferred_username"
`;
  return startTestDashboard({ toml, clock, trusted: [server.certificatePem] });
}

const visit = ({ dashboard }: TestDashboard, path: string, cookie = '', headers = {}): Promise<Response> =>
  dashboard.fetch(new Request(`https://localhost${path}`, { headers: { Cookie: cookie, ...headers } }));

function cookieOf(response: Response, name: string): string {
  return (response.headers.getSetCookie().find((each) => each.startsWith(`${name}=`)) ?? '').split(';', 1)[0] ?? '';
}

/** Signs in on the server's pages; the address at which the dashboard gets the code. */
async function signInAt(authorize: URL, name: string, password: string): Promise<string> {
  const browser = createScriptedBrowser(server.origin, server.fetch);
  await browser.open(new URL(authorize.pathname + authorize.search, server.origin));
  const away = await browser.agree(name, password);
  return away.pathname + away.search;
}

interface Attempt {
  readonly cookie: string;
  readonly back: string;
}

async function attempt(dashboard: TestDashboard, name: string, password: string): Promise<Attempt> {
  const begun = await visit(dashboard, '/sso?return=/nodes');
  assert.equal(begun.status, 303, await begun.clone().text());
  const authorize = new URL(begun.headers.get('Location') ?? '');
  assert.equal(authorize.origin, server.origin);
  const back = await signInAt(authorize, name, password);
  return { cookie: cookieOf(begun, '__Host-millrace-sso'), back };
}

async function userOf(dashboard: TestDashboard, done: Response): Promise<Record<string, unknown>> {
  const session = await visit(dashboard, '/api/v1/session', cookieOf(done, '__Host-millrace-session'));
  return ((await session.json()) as { user: Record<string, unknown> }).user;
}

describe('single sign-on with our own authorization server', { timeout: 240_000 }, () => {
  it('makes an administrator of whoever has the role, once for each state', async () => {
    await using dashboard = await startDashboard(createTestClock(Date.now()));
    const { back, cookie } = await attempt(dashboard, adminName, adminPassword);
    const done = await visit(dashboard, back, cookie);
    assert.equal(done.status, 303, await done.clone().text());
    assert.equal(done.headers.get('Location'), '/nodes');
    const user = await userOf(dashboard, done);
    assert.deepEqual([user['isAdmin'], user['by']], [true, 'sso']);
    assert.equal((await visit(dashboard, back, cookie)).status, 401);
  });

  it('makes no administrator of others, who may not do what administrators do', async () => {
    await using dashboard = await startDashboard(createTestClock(Date.now()));
    const { back, cookie } = await attempt(dashboard, 'grace', 'grace-password');
    const done = await visit(dashboard, back, cookie);
    assert.equal(done.status, 303, await done.clone().text());
    assert.equal((await userOf(dashboard, done))['isAdmin'], false);
    const session = cookieOf(done, '__Host-millrace-session');
    assert.equal((await visit(dashboard, '/api/v1/nodes', session)).status, 200);
    assert.equal((await visit(dashboard, '/api/v1/nodes/g/n/users', session)).status, 403);
  });

  it('takes no answer of another browser, of another state, or that comes too late', async () => {
    const clock = createTestClock(Date.now());
    await using dashboard = await startDashboard(clock);
    const first = await attempt(dashboard, 'grace', 'grace-password');
    assert.equal((await visit(dashboard, first.back)).status, 401);
    const second = await attempt(dashboard, 'grace', 'grace-password');
    const foreign = second.back.replace(/([?&]state=)[^&]+/, '$1made-up');
    assert.equal((await visit(dashboard, foreign, second.cookie)).status, 401);
    const third = await attempt(dashboard, 'grace', 'grace-password');
    clock.advance(60 * 60_000);
    assert.equal((await visit(dashboard, third.back, third.cookie)).status, 401);
  });

  it('takes tokens for itself as Bearer, but none for another application and none that has ended', async () => {
    const clock = createTestClock(Date.now());
    await using dashboard = await startDashboard(clock);
    const tokenOf = async (client: typeof consoleClient): Promise<string> => {
      const query = { response_type: 'code', scope: 'openid', client_id: client.client_id, redirect_uri: redirect };
      const authorize = new URL(`${server.origin}/oauth2/authorize?${new URLSearchParams(query).toString()}`);
      const code =
        new URL(await signInAt(authorize, adminName, adminPassword), redirect).searchParams.get('code') ?? '';
      const answer = await server.fetch(`${server.origin}/oauth2/token`, {
        method: 'POST',
        headers: {
          Authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
        },
        body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirect }),
      });
      return ((await answer.json()) as { id_token: string }).id_token;
    };
    const asBearer = async (token: string): Promise<number> =>
      (await visit(dashboard, '/api/v1/nodes', '', { Authorization: `Bearer ${token}` })).status;
    const own = await tokenOf(consoleClient);
    assert.equal(await asBearer(await tokenOf(other)), 401);
    assert.equal(await asBearer(`${own.slice(0, -4)}AAAA`), 401);
    assert.equal(await asBearer(own), 200);
    clock.advance(24 * 60 * 60_000);
    assert.equal(await asBearer(own), 401);
  });
});
