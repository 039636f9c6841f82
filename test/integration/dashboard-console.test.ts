import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { manyArtifacts, someArtifacts, startFakeRuntime } from '../helpers/fake-runtime.ts';
import { eventually, listOf, startTestDashboard } from '../helpers/test-dashboard.ts';

const secret = '[millrace]\nheartbeat_secret = "between us"\n';

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
    const named = '/rollups?group=default&artifact=api:Orders&step=300';
    const response = await dashboard.ask('GET', `${named}&node=one&node=two`);
    assert.equal(response.status, 200);
    const body = (await response.json()) as {
      total: Record<string, unknown>;
      points: readonly { at: string; messages: number | null }[];
      step: number;
      artifacts: readonly { group: string; artifact: string }[];
    };
    assert.deepEqual(
      body.artifacts.map(({ group, artifact }) => [group, artifact]),
      [['default', 'api:Orders']],
    );
    const other = (await (await dashboard.ask('GET', `${named}&node=two`)).json()) as { total: { messages: number } };
    assert.equal(other.total.messages, 0);
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

  it('tells what is wrong with artifact files once for all nodes, and who did not say', async () => {
    const problem = { severity: 'error', code: 'MR_X', message: 'wrong', file: 'a.xml', runs: ['api:Orders'] };
    const answers = {
      'millrace/problems': { list: [{ ...problem, position: { file: '/h/a.xml', line: 2, column: 3 } }] },
    };
    await using dashboard = await startTestDashboard({ toml: secret });
    await using one = await startFakeRuntime({ artifacts: someArtifacts, answers });
    await using two = await startFakeRuntime({ artifacts: someArtifacts, answers });
    await using original = await startFakeRuntime({ artifacts: someArtifacts, isOriginal: true });
    await one.beat(dashboard.url, { node: 'one', secret: 'between us' });
    await two.beat(dashboard.url, { node: 'two', secret: 'between us' });
    await original.beat(dashboard.url, { node: 'three', secret: 'between us' });
    await dashboard.signIn();
    await eventually(() => dashboard.dashboard.registry.nodes().every(({ readAt }) => readAt !== undefined));
    const list = await listOf(dashboard, '/problems');
    assert.deepEqual(
      list.map(({ nodes, file, line, runs }) => [nodes, file, line, runs]),
      [[['one', 'two'], 'a.xml', 2, ['api:Orders']]],
    );
    assert.deepEqual(
      (await listOf(dashboard, '/problems?node=two&node=three')).map(({ nodes }) => nodes),
      [['two']],
    );
    two.isCutOff = true;
    const answer = (await (await dashboard.ask('GET', '/problems?group=default')).json()) as {
      silent: readonly { node: string; reason: string }[];
    };
    assert.deepEqual(
      answer.silent.map(({ node }) => node),
      ['two'],
    );
    assert.match(answer.silent[0]?.reason ?? '', /no answer/);
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
    const audit = (await (await dashboard.ask('GET', '/audit?q=disabled%20stock')).json()) as {
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
    const { list, pagination } = (await response.json()) as {
      list: readonly Readonly<Record<string, unknown>>[];
      pagination: { total: number };
    };
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
