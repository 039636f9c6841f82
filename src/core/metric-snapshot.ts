import { type CounterCell, type GaugeCell, HistogramCell } from './metric-cells.ts';
import { createMetrics, type Metrics, type MetricView } from './metrics.ts';

/** The values of one histogram. */
export interface HistogramValues {
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** A family with its values at one moment, as it goes from process to process. */
export interface MetricSnapshot extends Omit<MetricView, 'children'> {
  readonly bounds: readonly number[];
  readonly children: readonly (readonly [values: readonly string[], value: number | HistogramValues])[];
}

/** The values of now. */
export function snapshotMetrics(metrics: Metrics): readonly MetricSnapshot[] {
  return metrics.collect().map(({ type, name, help, labels, combine, children }) => {
    const cells = [...children];
    const first = cells[0]?.[1];
    return {
      type,
      name,
      help,
      labels,
      combine,
      bounds: first instanceof HistogramCell ? [...first.bounds] : [],
      children: cells.map(([values, cell]) => [values, valueOf(cell)] as const),
    };
  });
}

function valueOf(cell: CounterCell | GaugeCell | HistogramCell): number | HistogramValues {
  if (!(cell instanceof HistogramCell)) return cell.value;
  return { counts: [...cell.counts], sum: cell.sum, count: cell.count };
}

/** What several processes measured as one: counters and histograms add up, gauges as their family says. */
export function mergeMetrics(snapshots: Iterable<readonly MetricSnapshot[]>): Metrics {
  const merged = createMetrics();
  for (const snapshot of snapshots) for (const family of snapshot) mergeFamily(merged, family);
  return merged;
}

function mergeFamily(merged: Metrics, { type, children, bounds, ...options }: MetricSnapshot): void {
  for (const [values, value] of children) {
    if (typeof value !== 'number') {
      merged
        .histogram({ ...options, buckets: bounds })
        .with(...values)
        .absorb(value);
    } else if (type === 'counter') {
      merged
        .counter(options)
        .with(...values)
        .inc(value);
    } else {
      const family = merged.gauge(options);
      const isFirst = !family.has(...values);
      const gauge = family.with(...values);
      if (isFirst) gauge.set(value);
      else if (options.combine === 'sum') gauge.inc(value);
      else gauge.set(Math[options.combine](gauge.value, value));
    }
  }
}

/** What remains of a process that has ended: totals, but nothing that was true of a moment. */
export function totalsOf(snapshot: readonly MetricSnapshot[]): readonly MetricSnapshot[] {
  return snapshot.filter(({ type }) => type !== 'gauge');
}
