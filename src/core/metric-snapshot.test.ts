import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeMetrics, snapshotMetrics, totalsOf } from './metric-snapshot.ts';
import { metricsText } from './metrics-text.ts';
import { createMetrics } from './metrics.ts';

/** A process that has served `count` requests. */
function processWith(count: number) {
  const metrics = createMetrics();
  metrics
    .counter({ name: 'served_total', help: 'Served', labels: ['api'] })
    .with('Orders')
    .inc(count);
  metrics.gauge({ name: 'open', help: 'Open' }).with().set(count);
  metrics.gauge({ name: 'began', help: 'Began', combine: 'min' }).with().set(count);
  metrics.gauge({ name: 'lag', help: 'Lag', combine: 'max' }).with().set(count);
  metrics
    .histogram({ name: 'took', help: 'Took', buckets: [1, 5] })
    .with()
    .observe(count);
  return structuredClone(snapshotMetrics(metrics));
}

test('counters, histograms and gauges of processes become one', () => {
  const text = metricsText(mergeMetrics([processWith(2), processWith(7)]));
  for (const line of [
    'served_total{api="Orders"} 9',
    'open 9',
    'began 2',
    'lag 7',
    'took_bucket{le="1"} 0',
    'took_bucket{le="5"} 1',
    'took_bucket{le="+Inf"} 2',
    'took_sum 9',
    'took_count 2',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
  }
});

test('a process that has ended leaves its totals', () => {
  const text = metricsText(mergeMetrics([processWith(2), totalsOf(processWith(7))]));
  assert.match(text, /^served_total\{api="Orders"\} 9$/m);
  assert.match(text, /^open 2$/m);
});
