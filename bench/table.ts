import type { ProxyResult } from './proxy-scenarios.ts';
import type { StartResult } from './start-time.ts';

/** The figures of the proxies; `ratio` is processor time per request against the first peer of the same scenario. */
export function proxyTable(results: readonly ProxyResult[]): string {
  const rows = results.map((result) => {
    const peer = results.find(({ scenario, program }) => scenario === result.scenario && program === 'nginx');
    return [
      result.scenario,
      result.program,
      result.requestsPerSecond.toFixed(0),
      (result.p50 / 1000).toFixed(2),
      (result.p99 / 1000).toFixed(2),
      result.cpuPerRequest.toFixed(1),
      peer ? (result.cpuPerRequest / peer.cpuPerRequest).toFixed(2) : '-',
      (result.waited * 100).toFixed(0),
      result.memory.toFixed(0),
      String(result.errors),
    ];
  });
  const head = [
    'scenario',
    'program',
    'req/s',
    'p50 ms',
    'p99 ms',
    'CPU µs/req',
    'x nginx',
    'waited %',
    'RSS MB',
    'errors',
  ];
  return alignColumns([head, ...rows]);
}

/** The figures of starts. */
export function startTable(results: readonly StartResult[]): string {
  const rows = results.map(({ subject, artifacts, first, again, best, idleMemory }) => [
    subject,
    String(artifacts),
    ...[first, again, best, idleMemory].map((value) => value.toFixed(0)),
  ]);
  return alignColumns([['start of', 'artifacts', 'first ms', 'again ms', 'best ms', 'idle RSS MB'], ...rows]);
}

/** Columns of equal width: the first two to the left, figures to the right. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number): string =>
    column < 2 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}
