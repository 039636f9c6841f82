import { HistogramCell } from './metric-cells.ts';
import type { Metrics, MetricView } from './metrics.ts';

/** Media type of `metricsText`. */
export const metricsTextType = 'text/plain; version=0.0.4; charset=utf-8';

/** All values in Prometheus' text format 0.0.4. */
export function metricsText(metrics: Metrics): string {
  const lines: string[] = [];
  for (const view of metrics.collect()) {
    lines.push(`# HELP ${view.name} ${escapeHelp(view.help)}`, `# TYPE ${view.name} ${view.type}`);
    pushSamples(lines, view);
  }
  return `${lines.join('\n')}\n`;
}

function pushSamples(lines: string[], view: MetricView): void {
  const { name, labels } = view;
  for (const [values, cell] of view.children) {
    const pairs = labels.map((label, index) => `${label}="${escapeValue(values[index] ?? '')}"`);
    if (!(cell instanceof HistogramCell)) {
      lines.push(sample(name, pairs, cell.value));
      continue;
    }
    let total = 0;
    for (const [index, count] of cell.counts.entries()) {
      total += count;
      lines.push(sample(`${name}_bucket`, [...pairs, `le="${formatNumber(cell.bounds[index] ?? Infinity)}"`], total));
    }
    lines.push(sample(`${name}_sum`, pairs, cell.sum), sample(`${name}_count`, pairs, cell.count));
  }
}

function sample(name: string, pairs: readonly string[], value: number): string {
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${formatNumber(value)}`;
}

function formatNumber(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
