import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHealth, createMetrics, metricsText } from '#core';
import { createRestApi } from './api.ts';
import { carbonAppsCheck, probeOperations } from './probes.ts';

const health = createHealth();
const metrics = createMetrics();
const api = createRestApi({
  title: 'Probes',
  version: '1',
  basePath: '',
  operations: probeOperations(health, () => metricsText(metrics)),
});
const ask = async (path: string): Promise<[number, unknown]> => {
  const response = await api.fetch(new Request(`http://localhost${path}`));
  return [response.status, await response.json()];
};

describe('probes', () => {
  it('say what the phase and the checks say', async () => {
    assert.deepEqual(await ask('/livez'), [200, { healthy: true, phase: 'starting' }]);
    assert.deepEqual(await ask('/readyz'), [503, { healthy: false, phase: 'starting' }]);
    assert.deepEqual(await ask('/healthz'), [500, { status: 'not ready', failing: [] }]);
    health.setPhase('ready');
    assert.deepEqual(await ask('/readyz'), [200, { healthy: true, phase: 'ready' }]);
    assert.deepEqual(await ask('/healthz'), [200, { status: 'ready' }]);
    assert.deepEqual(await ask('/liveness'), [200, { server: 'started' }]);
  });

  it('name failing checks, with faulty archives as the original does', async () => {
    using _ = health.register({
      name: carbonAppsCheck,
      kind: 'readiness',
      check: () => ({ healthy: false, detail: { faulty: ['Orders_1.0.0.car'] } }),
    });
    assert.deepEqual(await ask('/readyz'), [503, { healthy: false, phase: 'ready', failing: ['carbonapps'] }]);
    assert.deepEqual(await ask('/healthz'), [
      500,
      { status: 'not ready, faulty CAPPs detected', 'Faulty CAPPs': ['Orders_1.0.0.car'] },
    ]);
    const [, verbose] = await ask('/readyz?verbose');
    assert.equal((verbose as { checks: unknown[] }).checks.length, 1);
  });

  it('give the metrics as text', async () => {
    metrics.counter({ name: 'requests_total', help: 'Requests' }).with().inc(3);
    const response = await api.fetch(new Request('http://localhost/metric-service/metrics'));
    assert.equal(response.headers.get('Content-Type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert.match(await response.text(), /^requests_total 3$/m);
  });
});
