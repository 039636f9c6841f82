import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics } from './metrics.ts';
import { metricsText } from './metrics-text.ts';
import { observeProcess } from './process-metrics.ts';

describe('metrics', () => {
  it('writes counters and gauges as Prometheus text, with escaped labels', () => {
    const metrics = createMetrics();
    const requests = metrics.counter({ name: 'requests_total', help: 'All\nrequests', labels: ['api', 'method'] });
    requests.with('Orders', 'GET').inc();
    requests.with('Orders', 'GET').inc(2);
    requests.with('say "hi"\\\n', 'PUT').inc();
    const gauge = metrics.gauge({ name: 'open', help: 'Open' }).with();
    gauge.inc(5);
    gauge.dec();
    assert.equal(
      metricsText(metrics),
      [
        '# HELP requests_total All\\nrequests',
        '# TYPE requests_total counter',
        'requests_total{api="Orders",method="GET"} 3',
        'requests_total{api="say \\"hi\\"\\\\\\n",method="PUT"} 1',
        '# HELP open Open',
        '# TYPE open gauge',
        'open 4',
        '',
      ].join('\n'),
    );
  });

  it('writes histograms with cumulative buckets', () => {
    const metrics = createMetrics();
    const seconds = metrics.histogram({ name: 'seconds', help: 'Time', labels: ['api'], buckets: [0.1, 1] });
    for (const value of [0.05, 0.1, 0.5, 7]) seconds.with('A').observe(value);
    assert.deepEqual(metricsText(metrics).split('\n').slice(2, -1), [
      'seconds_bucket{api="A",le="0.1"} 2',
      'seconds_bucket{api="A",le="1"} 3',
      'seconds_bucket{api="A",le="+Inf"} 4',
      'seconds_sum{api="A"} 7.65',
      'seconds_count{api="A"} 4',
    ]);
  });

  it('gives the same child for the same labels, and none after its removal', () => {
    const metrics = createMetrics();
    const family = metrics.counter({ name: 'a_total', help: '', labels: ['x'] });
    assert.equal(family.with('1'), metrics.counter({ name: 'a_total', help: '', labels: ['x'] }).with('1'));
    family.with('1').inc();
    family.remove('1');
    assert.equal(family.with('1').value, 0);
  });

  it('collects what is beyond the limit of children in one child', () => {
    const metrics = createMetrics(2);
    const family = metrics.counter({ name: 'a_total', help: '', labels: ['x'] });
    for (const value of ['1', '2', '3', '4']) family.with(value).inc();
    assert.equal(family.with('_other').value, 2);
    assert.equal(family.with('1').value, 1);
  });

  it('refuses wrong names, label counts and contradicting declarations', () => {
    const metrics = createMetrics();
    metrics.counter({ name: 'a_total', help: '' });
    assert.throws(() => metrics.gauge({ name: 'a_total', help: '' }), { code: 'MR_METRIC_DUPLICATE' });
    assert.throws(() => metrics.gauge({ name: 'a b', help: '' }), { code: 'MR_METRIC_NAME' });
    assert.throws(() => metrics.gauge({ name: 'b', help: '', labels: ['x-y'] }), { code: 'MR_METRIC_NAME' });
    assert.throws(() => metrics.counter({ name: 'a_total', help: '' }).with('x'), { code: 'MR_METRIC_LABELS' });
  });

  it('reads the values of the process when they are collected, until it is disposed', () => {
    const metrics = createMetrics();
    const observing = observeProcess(metrics);
    const text = metricsText(metrics);
    observing[Symbol.dispose]();
    assert.match(text, /^process_resident_memory_bytes [1-9]\d+$/m);
    assert.match(text, /^process_cpu_seconds_total \d/m);
    assert.match(text, /^nodejs_eventloop_lag_seconds\{quantile="0.99"\} \d/m);
  });
});
