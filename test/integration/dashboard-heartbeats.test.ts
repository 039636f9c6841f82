import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '#core';
import { createSelfSigned } from '#keystore';
import { openApprovals } from '../../src/dashboard/approvals.ts';
import { createConnections } from '../../src/dashboard/connections.ts';
import { manyArtifacts, someArtifacts, startFakeRuntime } from '../helpers/fake-runtime.ts';
import { account, eventually, listOf, startTestDashboard } from '../helpers/test-dashboard.ts';

const secret = '[millrace]\nheartbeat_secret = "between us"\n';

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
