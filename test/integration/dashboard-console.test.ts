import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '#core';
import { createSelfSigned } from '#keystore';
import { openApprovals } from '../../src/dashboard/approvals.ts';
import { createConnections } from '../../src/dashboard/connections.ts';
import { manyArtifacts, startFakeRuntime } from '../helpers/fake-runtime.ts';
import { account, eventually, startTestDashboard, type TestDashboard } from '../helpers/test-dashboard.ts';

const secret = '[millrace]\nheartbeat_secret = "between us"\n';
const someArtifacts = [
  {
    kind: 'api',
    name: 'Orders',
    configuration: '<api name="Orders" context="/order"/>',
    stats: 'disabled',
    tracing: 'disabled',
  },
  { kind: 'endpoint', name: 'Stock', configuration: '<endpoint name="Stock"/>', state: 'active' },
];

interface Shown {
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

async function listOf(dashboard: TestDashboard, path: string): Promise<Shown['list']> {
  const response = await dashboard.ask('GET', path);
  assert.equal(response.status, 200);
  return ((await response.json()) as Shown).list;
}

describe('heartbeats', () => {
  it('register a node that knows the secret, which is then read', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts });
    const answer = await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    assert.deepEqual([answer.status, await answer.json()], [200, { status: 'success' }]);
    await dashboard.signIn();
    const found = await eventually(async () => {
      const list = await listOf(dashboard, '/artifacts?group=default');
      return list.length > 0 ? list : undefined;
    });
    assert.deepEqual(
      found.map(({ kind, name, state }) => [kind, name, state]),
      [
        ['api', 'Orders', undefined],
        ['endpoint', 'Stock', 'active'],
      ],
    );
  });

  it('send no password to a node that nobody approved, and read it once somebody did', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts });
    assert.equal((await runtime.beat(dashboard.url, { node: 'stranger' })).status, 200);
    await dashboard.signIn();
    const [node] = await listOf(dashboard, '/nodes');
    assert.equal(node?.['trust'], 'waiting');
    assert.deepEqual(runtime.calls, []);
    assert.equal((await dashboard.ask('POST', '/nodes/default/stranger/approval')).status, 200);
    await eventually(() => runtime.credentials[0]);
    await eventually(async () => ((await listOf(dashboard, '/artifacts')).length === 2 ? true : undefined));
  });

  it('with another secret are refused', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime();
    assert.equal((await runtime.beat(dashboard.url, { node: 'one', secret: 'guessed' })).status, 401);
    assert.deepEqual(dashboard.dashboard.registry.nodes(), []);
  });

  it('without what they need are refused by the name of the member', async () => {
    await using dashboard = await startTestDashboard();
    const response = await fetch(`${dashboard.url}/dashboard/api/heartbeat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ nodeId: 'x', mgtApiUrl: 'file:///etc/passwd' }),
    });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /mgtApiUrl/);
  });

  it('of runtimes of the original are trusted when the switch says so, and read list by list', async () => {
    await using dashboard = await startTestDashboard({ toml: '[millrace]\ntrust_unknown_nodes = true\n' });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts, isOriginal: true });
    await runtime.beat(dashboard.url, { node: 'old' });
    await dashboard.signIn();
    await eventually(async () => ((await listOf(dashboard, '/artifacts')).length === 2 ? true : undefined));
    assert.ok(runtime.calls.includes('GET apis'));
  });

  it('that stop make a node late, then lost without its artifacts, and a new one brings it back', async () => {
    const clock = createTestClock();
    await using dashboard = await startTestDashboard({ toml: secret, clock });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts });
    const { registry } = dashboard.dashboard;
    const beat = (): Promise<Response> =>
      runtime.beat(dashboard.url, { node: 'one', interval: 10, secret: 'between us' });
    await beat();
    await eventually(() => registry.find('default', 'one')?.artifacts.length || undefined);
    const health = (): string => {
      const node = registry.find('default', 'one');
      return node ? registry.health(node) : 'unknown';
    };
    assert.equal(health(), 'healthy');
    clock.advance(16_000);
    assert.equal(health(), 'late');
    clock.advance(15_000);
    assert.equal(health(), 'lost');
    assert.deepEqual(registry.find('default', 'one')?.artifacts, []);
    await beat();
    assert.equal(health(), 'healthy');
    await eventually(() => registry.find('default', 'one')?.artifacts.length || undefined);
    assert.deepEqual(
      registry.history.filter(({ type }) => type === 'node').map(({ what }) => what),
      ['joined', 'late', 'lost', 'back'],
    );
  });

  it('fetch only what changed', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: manyArtifacts(20) });
    const { registry } = dashboard.dashboard;
    const beat = (): Promise<Response> => runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await beat();
    const before = await eventually(() => {
      const artifacts = registry.find('default', 'one')?.artifacts ?? [];
      return artifacts.length > 0 ? artifacts : undefined;
    });
    runtime.artifacts = runtime.artifacts.map((each, index) =>
      index === 3 ? { ...each, configuration: '<changed/>' } : each,
    );
    await beat();
    const after = await eventually(() => {
      const artifacts = registry.find('default', 'one')?.artifacts ?? [];
      return artifacts === before ? undefined : artifacts;
    });
    assert.deepEqual(
      after.filter((artifact) => !before.includes(artifact)).map(({ detail }) => detail['configuration']),
      ['<changed/>'],
    );
  });
});

describe('certificates', () => {
  it('of approved nodes may be self-signed', async () => {
    const pair = await createSelfSigned({ hostNames: ['localhost'], days: 2 });
    const tls = { key: pair.privateKeyPem, cert: pair.certificatePem };
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts, tls });
    await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await eventually(
      () => dashboard.dashboard.registry.find('default', 'one')?.readAt,
      () => dashboard.dashboard.registry.nodes(),
    );
    assert.deepEqual(runtime.credentials, [account.password]);
  });

  it('other than the approved one get no password', async () => {
    const pair = await createSelfSigned({ hostNames: ['localhost'], days: 2 });
    await using runtime = await startFakeRuntime({ tls: { key: pair.privateKeyPem, cert: pair.certificatePem } });
    const approvals = openApprovals(undefined);
    const { origin } = new URL(runtime.managementUrl);
    approvals.add({ origin, fingerprint: 'AA:BB', by: 'a test' });
    await using connections = createConnections({ approvals, trusted: undefined, account });
    await assert.rejects(connections.client(runtime.managementUrl), { code: 'MR_DASHBOARD_CERTIFICATE' });
    assert.deepEqual(runtime.calls, []);
  });
});

describe('the console API', () => {
  it('tells figures over time, and what is wrong with a range', async () => {
    const count = { id: 'api:Orders/resource:0/in/0', count: 4, errors: 1, timeSum: 8, histogram: [4, 0] };
    const answers: Record<string, unknown> = {
      'millrace/counters': {
        cursor: 4,
        bounds: [5],
        count: 0,
        list: [{ ...count, count: 0, errors: 0, timeSum: 0, histogram: [] }],
      },
    };
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts, answers });
    await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await dashboard.signIn();
    await eventually(async () => (await listOf(dashboard, '/artifacts')).length || undefined);
    await dashboard.dashboard.rollups.collect();
    answers['millrace/counters'] = { cursor: 9, bounds: [5], count: 1, list: [count] };
    await dashboard.dashboard.rollups.collect();
    const response = await dashboard.ask('GET', '/rollups?group=default&artifact=api:Orders&step=300');
    assert.equal(response.status, 200);
    const body = (await response.json()) as {
      total: Record<string, unknown>;
      points: readonly { at: string; messages: number | null }[];
      step: number;
    };
    assert.deepEqual(body.total, { messages: 4, errors: 1, meanTime: 2, p50: 2.5, p95: 4.75, p99: 4.95 });
    assert.equal(body.step, 300);
    assert.equal(
      body.points.reduce((sum, { messages }) => sum + (messages ?? 0), 0),
      4,
    );
    assert.ok(body.points.some(({ messages }) => messages === null));
    const day = 'from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z';
    for (const wrong of ['step=61', day, 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from=yesterday']) {
      assert.equal((await dashboard.ask('GET', `/rollups?${wrong}`)).status, 400, wrong);
    }
    assert.equal((await dashboard.ask('GET', `/rollups?${day}&step=3600`)).status, 200);
    const { paths } = (await (await dashboard.ask('GET', '/openapi.json')).json()) as {
      paths: Record<string, unknown>;
    };
    assert.ok(paths['/rollups'] ?? paths['/api/v1/rollups']);
  });

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

  it('switches an artifact on every node and says how each answered', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using one = await startFakeRuntime({ artifacts: someArtifacts });
    await using two = await startFakeRuntime({ artifacts: someArtifacts });
    await one.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await two.beat(dashboard.url, { node: 'two', secret: 'between us' });
    await eventually(() =>
      dashboard.dashboard.registry.nodes().every(({ artifacts }) => artifacts.length === 2) ? true : undefined,
    );
    await dashboard.signIn();
    const response = await dashboard.ask('POST', '/actions/default/endpoint/Stock', { action: 'deactivate' });
    assert.deepEqual(await response.json(), {
      action: 'deactivate',
      results: [
        { node: 'one', ok: true, message: 'Stock was changed' },
        { node: 'two', ok: true, message: 'Stock was changed' },
      ],
    });
    const [endpoint] = await listOf(dashboard, '/artifacts?kind=endpoint');
    assert.deepEqual([endpoint?.['state'], endpoint?.['nodes']], ['inactive', 2]);
    const wrong = await dashboard.ask('POST', '/actions/default/api/Orders', { action: 'deactivate' });
    assert.equal(wrong.status, 400);
  });

  it('changes several artifacts at once, each with its own result, and keeps who did', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts });
    await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await eventually(() => dashboard.dashboard.registry.find('default', 'one')?.artifacts.length || undefined);
    await dashboard.signIn();
    const artifacts = [
      { group: 'default', kind: 'endpoint', name: 'Stock' },
      { group: 'default', kind: 'api', name: 'Orders' },
      { group: 'default', kind: 'endpoint', name: 'Nowhere' },
    ];
    const answer = await dashboard.ask('POST', '/actions', { action: 'deactivate', artifacts });
    const { list } = (await answer.json()) as { list: { name: string; ok: boolean; message?: string }[] };
    assert.deepEqual(
      list.map(({ name, ok }) => [name, ok]),
      [
        ['Stock', true],
        ['Orders', false],
        ['Nowhere', false],
      ],
    );
    assert.match(list[1]?.message ?? '', /api cannot do deactivate; possible: startTrace/);
    assert.match(list[2]?.message ?? '', /No node of default has the endpoint Nowhere/);
    assert.equal(runtime.artifacts.find(({ name }) => name === 'Stock')?.state, 'inactive');
    const audit = (await (await dashboard.ask('GET', '/audit?q=artifact:deactivate%20stock')).json()) as {
      list: { actor: string; outcome: string }[];
    };
    assert.deepEqual(
      audit.list.map(({ actor, outcome }) => [actor, outcome]),
      [['admin', 'success']],
    );
  });

  it('shows where nodes differ', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using one = await startFakeRuntime({ artifacts: someArtifacts });
    await using two = await startFakeRuntime({
      artifacts: someArtifacts.map((each) => ({
        ...each,
        configuration: each.configuration.replace('/order', '/orders'),
      })),
    });
    await one.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await two.beat(dashboard.url, { node: 'two', secret: 'between us' });
    await eventually(() =>
      dashboard.dashboard.registry.nodes().every(({ artifacts }) => artifacts.length === 2) ? true : undefined,
    );
    await dashboard.signIn();
    const drifted = await listOf(dashboard, '/artifacts?drift=true');
    assert.deepEqual(
      drifted.map(({ name }) => name),
      ['Orders'],
    );
    const response = await dashboard.ask('GET', '/artifacts/default/api/Orders');
    const { on } = (await response.json()) as { on: readonly { node: string; hash: string; detail?: unknown }[] };
    assert.notEqual(on[0]?.hash, on[1]?.hash);
    assert.ok(on[1]?.detail);
  });

  it('names near artifacts where there is none of a name', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts });
    await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await eventually(() => dashboard.dashboard.registry.find('default', 'one')?.artifacts.length || undefined);
    await dashboard.signIn();
    const response = await dashboard.ask('GET', '/artifacts/default/api/Order');
    assert.equal(response.status, 404);
    assert.match(await response.text(), /Near names: Orders/);
  });

  it('tells events as they happen', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime();
    await dashboard.signIn();
    const response = await dashboard.ask('GET', '/events');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    let text = '';
    while (reader && !text.includes('"joined"')) text += (await reader.read()).value ?? '';
    assert.match(text, /event: node\ndata: \{"type":"node","group":"default","node":"one","what":"joined"/);
    await reader?.cancel();
  });

  it('answers lists over 50 nodes with 1,000 artifacts each without calling a node', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: manyArtifacts(1000) });
    const nodes = Array.from({ length: 50 }, (_, index) => `node-${index}`);
    for (const node of nodes) await runtime.beat(dashboard.url, { node, secret: 'between us' });
    await eventually(() =>
      dashboard.dashboard.registry.nodes().every(({ artifacts }) => artifacts.length === 1000) ? true : undefined,
    );
    await dashboard.signIn();
    const calls = runtime.calls.length;
    const response = await dashboard.ask('GET', '/artifacts?q=0007&sort=-name');
    const { list, pagination } = (await response.json()) as Shown & { pagination: { total: number } };
    assert.equal(pagination.total, 1);
    assert.equal(list[0]?.['nodes'], 50);
    await listOf(dashboard, '/nodes');
    await listOf(dashboard, '/kinds');
    assert.equal(runtime.calls.length, calls);
  });

  it('goes on when a node is cut off, and reads it when it is back', async () => {
    await using dashboard = await startTestDashboard({ toml: secret });
    await using runtime = await startFakeRuntime({ artifacts: someArtifacts });
    await runtime.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await eventually(() => dashboard.dashboard.registry.find('default', 'one')?.artifacts.length || undefined);
    runtime.isCutOff = true;
    await dashboard.signIn();
    const response = await dashboard.ask('GET', '/nodes/default/one/logging');
    assert.ok(response.status >= 500, String(response.status));
    assert.equal((await listOf(dashboard, '/artifacts')).length, 2);
  });
});
