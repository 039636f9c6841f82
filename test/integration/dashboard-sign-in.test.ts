import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { someArtifacts, startFakeRuntime } from '../helpers/fake-runtime.ts';
import { account, eventually, listOf, startTestDashboard } from '../helpers/test-dashboard.ts';

const secret = '[millrace]\nheartbeat_secret = "between us"\n';

describe('signing in to the dashboard', () => {
  it('refuses everybody who has not signed in, on every operation that is not public', async () => {
    await using dashboard = await startTestDashboard();
    const document = (await dashboard.dashboard.consoleApi.openapi()) as {
      paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
    };
    const open = new Set(['readSession', 'signIn']);
    let seen = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (open.has(operation.operationId)) continue;
        const target = path.replace(/^\/api\/v1/, '').replaceAll(/\{[^}]+\}/g, 'x');
        const { status } = await dashboard.ask(
          method.toUpperCase(),
          target,
          ['get', 'delete'].includes(method) ? undefined : {},
        );
        assert.equal(status, 401, `${method} ${path}`);
        seen++;
      }
    }
    assert.ok(seen > 60, `${seen} operations`);
  });

  it('keeps from administering who is no administrator', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    const users = {
      admin: { password: account.password, isAdmin: true },
      ada: { password: 'right', isAdmin: false },
    };
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts, users });
    await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await eventually(() => dashboard.dashboard.registry.find('default', 'one')?.readAt);
    assert.equal((await dashboard.signIn('ada', 'wrong')).status, 401);
    assert.equal((await dashboard.signIn('ada', 'right')).status, 200);
    const status = async (method: string, path: string): Promise<number> => (await dashboard.ask(method, path)).status;
    assert.equal(await status('GET', '/artifacts'), 200);
    assert.equal(await status('GET', '/nodes/default/one/users'), 403);
    assert.equal(await status('GET', '/nodes/default/one/traces'), 403);
    assert.equal(await status('GET', '/audit'), 403);
    assert.equal(await status('GET', '/nodes/default/one/audit'), 403);
    assert.equal(await status('POST', '/nodes/default/one/approval'), 403);
    assert.equal(await status('DELETE', '/nodes/default/one'), 403);
  });

  it('takes no write without the token of the session', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await dashboard.signIn();
    const cookie = [...dashboard.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await dashboard.dashboard.fetch(
      new Request(`${dashboard.url}/api/v1/session`, { method: 'DELETE', headers: { Cookie: cookie } }),
    );
    assert.equal(response.status, 403);
    assert.match(await response.text(), /MR_DASHBOARD_CSRF/);
  });

  it('hides the session from scripts, and ends it', async () => {
    await using dashboard = await startTestDashboard();
    const response = await dashboard.signIn();
    const cookie = response.headers.getSetCookie().find((each) => each.startsWith('__Host-millrace-session='));
    assert.match(cookie ?? '', /; SameSite=Strict; Secure; HttpOnly$/);
    assert.equal((await dashboard.ask('GET', '/nodes')).status, 200);
    assert.equal((await dashboard.ask('DELETE', '/session')).status, 200);
    assert.equal((await dashboard.ask('GET', '/nodes')).status, 401);
  });

  it('notes who signed in, and as whom somebody tried to', async () => {
    await using dashboard = await startTestDashboard();
    await dashboard.signIn('mallory', 'guessed');
    await dashboard.signIn();
    assert.deepEqual(
      (await listOf(dashboard, '/audit?q=login')).map(({ actor, outcome }) => [actor, outcome]),
      [
        ['admin', 'success'],
        ['mallory', 'failure'],
      ],
    );
  });

  it('makes those wait who try passwords', async () => {
    await using dashboard = await startTestDashboard();
    for (let attempt = 0; attempt < 6; attempt++) await dashboard.signIn('admin', 'wrong');
    const response = await dashboard.signIn('admin', 'wrong');
    assert.equal(response.status, 429);
    assert.ok(Number(response.headers.get('Retry-After')) > 0);
  });
});
